/** The changelog of a release, from the subjects of its commits (`feat(approvals): …`). */

export interface Commit {
  readonly hash: string
  readonly subject: string
}

/** In the order of the changelog. Other kinds, such as `test` and `docs`, change nothing for those who run a hub. */
const headings = { feat: "Features", fix: "Fixes", perf: "Performance" } as const
type Kind = keyof typeof headings

const pattern = /^(?<kind>[a-z]+)(?:\((?<scope>[^)]+)\))?(?<breaking>!)?: (?<text>.+)$/u

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

export const changelogOf = (version: string, commits: ReadonlyArray<Commit>): string => {
  const lines = new Map<Kind | "breaking", Array<string>>()
  for (const { hash, subject } of commits) {
    const { breaking, kind, scope, text } = pattern.exec(subject)?.groups ?? {}
    if (kind === undefined || text === undefined) continue
    const line = `- ${scope === undefined ? "" : `**${scope}**: `}${sentence(text)} (${hash})`
    const place = breaking !== undefined ? "breaking" : Object.hasOwn(headings, kind) ? kind as Kind : undefined
    if (place !== undefined) lines.set(place, [...lines.get(place) ?? [], line])
  }
  const section = (place: Kind | "breaking", heading: string): ReadonlyArray<string> =>
    lines.has(place) ? [`## ${heading}`, "", ...lines.get(place)!, ""] : []
  return [
    `# ${version}`,
    "",
    ...section("breaking", "Breaking changes"),
    ...Object.entries(headings).flatMap(([kind, heading]) => section(kind as Kind, heading))
  ].join("\n")
}
