/** Compares versions by the precedence of Semantic Versioning 2.0.0, section 11. */

const number = "(?:0|[1-9]\\d{0,8})"
const version = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-([0-9A-Za-z.-]{1,100}))?(?:\\+[0-9A-Za-z.-]{1,100})?$`,
  "u"
)

interface Version {
  readonly numbers: ReadonlyArray<number>
  /** Pre-release identifiers; empty for a release, which follows its pre-releases. */
  readonly before: ReadonlyArray<string>
}

const read = (text: string): Version | undefined => {
  const found = version.exec(text)
  return found === null ? undefined : { numbers: found.slice(1, 4).map(Number), before: found[4]?.split(".") ?? [] }
}

const isNumber = (text: string): boolean => /^\d+$/u.test(text)

const compareParts = (a: string, b: string): number => {
  if (a === b) return 0
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b)
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1
  return a < b ? -1 : 1
}

const compare = (a: Version, b: Version): number => {
  for (const [at, value] of a.numbers.entries()) {
    if (value !== b.numbers[at]) return value - b.numbers[at]!
  }
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length
  for (const [at, part] of a.before.entries()) {
    const other = b.before[at]
    const order = other === undefined ? 1 : compareParts(part, other)
    if (order !== 0) return order
  }
  return a.before.length - b.before.length
}

/** False when either text is not a version. */
export const isNewer = (offered: string, current: string): boolean => {
  const [a, b] = [read(offered), read(current)]
  return a !== undefined && b !== undefined && compare(a, b) > 0
}
