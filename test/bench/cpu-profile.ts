/** A CPU profile as two tables: time by function, and by part of the program. */
import { readFileSync } from "node:fs"
import type { Profiler } from "node:inspector"

export interface Share {
  readonly name: string
  /** Share of the time that was not idle. */
  readonly share: number
}

export interface ProfileSummary {
  /** Share of the wall time in which the thread worked. */
  readonly busy: number
  readonly functions: ReadonlyArray<Share>
  readonly areas: ReadonlyArray<Share>
}

const areas: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\(garbage collector\)$/, "garbage collector"],
  [/^\(program\)$/, "native code (sockets, HTTP parser, epoll)"],
  [/\/apps\/hub\/src\/dispatch\//, "hub: dispatch and ticker"],
  [/\/apps\/hub\/src\/(edge|auth)\//, "hub: edge and credentials"],
  [/\/apps\/hub\/src\//, "hub: the rest"],
  [/\/packages\/domain\//, "domain: JSON, ids, schemas, prices"],
  [/\/@effect\/sql-pg\//, "PostgreSQL driver"],
  [/\/@effect\/platform-node/, "effect: Node's HTTP server"],
  [/\/effect\/.*(http|Http)/, "effect: HTTP"],
  [/\/effect\//, "effect: fibers and the rest"],
  [/node_modules/, "other packages"],
  [/^node:/, "Node: streams, net, http"]
]

/** Functions with the same name in the same file count as one. */
const placeOf = ({ functionName, lineNumber, url }: Profiler.ProfileNode["callFrame"]): string =>
  url === ""
    ? functionName || "(anonymous)"
    : `${functionName || "(anonymous)"} ${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`

const areaOf = ({ functionName, url }: Profiler.ProfileNode["callFrame"]): string => {
  const subject = url === "" ? functionName : url
  return areas.find(([pattern]) => pattern.test(subject))?.[1] ?? (url === "" ? "built-in functions" : "other")
}

export const summarize = (file: string, functionsMax = 25): ProfileSummary => {
  const { nodes, samples = [], timeDeltas = [] } = JSON.parse(readFileSync(file, "utf8")) as Profiler.Profile
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const functions = new Map<string, number>()
  const parts = new Map<string, number>()
  let busy = 0, whole = 0
  samples.forEach((id, at) => {
    const frame = byId.get(id)?.callFrame
    const micros = timeDeltas[at + 1] ?? 0
    if (frame === undefined || micros <= 0) return
    whole += micros
    if (frame.functionName === "(idle)") return
    busy += micros
    const place = placeOf(frame), area = areaOf(frame)
    functions.set(place, (functions.get(place) ?? 0) + micros)
    parts.set(area, (parts.get(area) ?? 0) + micros)
  })
  const shares = (times: Map<string, number>): ReadonlyArray<Share> =>
    [...times].map(([name, micros]) => ({ name, share: micros / busy })).sort((a, b) => b.share - a.share)
  return { busy: busy / whole, functions: shares(functions).slice(0, functionsMax), areas: shares(parts) }
}

export const describe = ({ areas, busy, functions }: ProfileSummary): string =>
  [
    `The hub's thread worked ${(busy * 100).toFixed(0)} % of the time.`,
    "",
    "| part | of its work |",
    "|---|---|",
    ...areas.map(({ name, share }) => `| ${name} | ${(share * 100).toFixed(1)} % |`),
    "",
    "| function | of its work |",
    "|---|---|",
    ...functions.map(({ name, share }) => `| \`${name}\` | ${(share * 100).toFixed(1)} % |`)
  ].join("\n")

if (import.meta.main) process.stdout.write(`${describe(summarize(process.argv[2] ?? ""))}\n`)
