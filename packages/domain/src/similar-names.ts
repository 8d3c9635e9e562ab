/** Suggestions for misspelled names. Pure. */

/** The most names that are compared: a catalog may hold many thousands. */
const comparedMax = 1_000
const shownMax = 3
const opposites = ["de", "dis", "in", "non", "un"]

/** Insertions, deletions, and replacements between two texts. */
const editDistance = (one: string, two: string): number => {
  let before = Array.from({ length: two.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let at = 1; at <= two.length; at++) {
      now.push(Math.min(before[at]! + 1, now[at - 1]! + 1, before[at - 1]! + (one[row - 1] === two[at - 1] ? 0 : 1)))
    }
    before = now
  }
  return before[two.length]!
}

/** `deallocate` is no misspelled `allocate`. */
const isOpposite = (one: string, other: string): boolean =>
  opposites.some((prefix) => one === prefix + other || other === prefix + one)

/** The most similar of `names`, nearest first; excludes names that differ in more than a third of their letters. */
export const similarNames = (name: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asked = name.toLowerCase()
  return names
    .filter((other) => Math.abs(other.length - asked.length) <= 4 && !isOpposite(asked, other.toLowerCase()))
    .slice(0, comparedMax)
    .map((other) => ({ other, distance: editDistance(asked, other.toLowerCase()) }))
    .filter(({ distance, other }) => distance <= Math.min(4, Math.floor(other.length / 3)))
    .sort((one, two) => one.distance - two.distance || (one.other < two.other ? -1 : 1))
    .slice(0, shownMax)
    .map(({ other }) => other)
}

/**
 * The probable name for a wrong field name: the nearest, or the one that adds a unit or a prefix to it (`amount`:
 * `amount_cents`).
 */
export const meantName = (name: string, names: ReadonlyArray<string>): string | undefined =>
  similarNames(name, names)[0] ?? names.find((other) => other.startsWith(`${name}_`) || other.endsWith(`_${name}`))
