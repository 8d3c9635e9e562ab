/**
 * Checks the direction of imports: folders do not import each other in cycles, repositories import no services, and the
 * pure parts of dispatch reach no edge and no HTTP client. Plain JavaScript for the system's own Node: `npm run check`
 * runs it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/** The sources whose folders are compared, each by itself. */
const sourceRoots = [
  "apps/hub/src",
  "apps/desktop/src",
  "packages/domain/src",
  "packages/hub-client/src",
  "packages/ui/src"
]

/** Files whose imports, followed to the end, must stay free of I/O. */
const pure =
  /^apps\/hub\/src\/dispatch\/(?:decision\/(?:blocks|decision)|recovery\/poll-rules|requests\/view|request-input)\.ts$/
const impure = [
  /^apps\/hub\/src\/edge\//,
  /^undici$/,
  /^effect\/(?:http|http-api|sql)$/,
  /^node:(?:fs|http|https|net|tls)$/
]

const imported =
  /^[ \t]*(?:import|export)\b(?<type> type\b)?[^;"'`()]*?\bfrom "(?<named>[^"\n]+)"|^[ \t]*import "(?<bare>[^"\n]+)"|\bimport\("(?<lazy>[^"\n]+)"\)/gm

/**
 * The modules that a source file imports or exports from. A dynamic import in a type counts as a type.
 * @param {string} source
 * @returns {ReadonlyArray<{ name: string, isType: boolean }>}
 */
export const importsOf = (source) =>
  [...source.matchAll(imported)].map(({ groups = {} }) => ({
    name: groups["named"] ?? groups["bare"] ?? groups["lazy"] ?? "",
    isType: groups["type"] !== undefined
  }))

/** @param {string} root @param {string} folder @returns {ReadonlyArray<string>} */
const sourcesBelow = (root, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return sourcesBelow(root, path)
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : []
  })

/** A file directly in the sources' root counts as a folder. @param {string} sources @param {string} file */
const folderOf = (sources, file) => dirname(file) === sources ? file : dirname(file)

/**
 * The folders that reach each other by imports, in groups.
 * @param {ReadonlyMap<string, ReadonlySet<string>>} graph
 * @returns {ReadonlyArray<ReadonlySet<string>>}
 */
export const cyclesOf = (graph) => {
  /** @type {Map<string, number>} */
  const entered = new Map()
  /** @type {Map<string, number>} */
  const lowest = new Map()
  /** @type {Array<string>} */
  const open = []
  /** @type {Array<ReadonlySet<string>>} */
  const groups = []
  /** @param {string} folder */
  const visit = (folder) => {
    const number = entered.size
    entered.set(folder, number)
    lowest.set(folder, number)
    open.push(folder)
    for (const next of graph.get(folder) ?? []) {
      if (!entered.has(next)) visit(next)
      if (open.includes(next)) lowest.set(folder, Math.min(lowest.get(folder) ?? 0, lowest.get(next) ?? 0))
    }
    if (lowest.get(folder) !== number) return
    const group = open.splice(open.indexOf(folder))
    if (group.length > 1) groups.push(new Set(group))
  }
  for (const folder of graph.keys()) if (!entered.has(folder)) visit(folder)
  return groups
}

/**
 * Each fault as one line.
 * @param {string} root
 * @returns {ReadonlyArray<string>}
 */
export const folderFaults = (root) => {
  /** @type {Array<string>} */
  const faults = []
  /** @type {Map<string, ReadonlyArray<{ name: string, isType: boolean }>>} */
  const imports = new Map()
  for (const sources of sourceRoots) {
    if (!existsSync(join(root, sources))) continue
    /** @type {Map<string, Set<string>>} */
    const graph = new Map()
    /** @type {Map<string, string>} an example of each import between folders */
    const examples = new Map()
    for (const file of sourcesBelow(root, sources)) {
      const found = importsOf(readFileSync(join(root, file), "utf8")).map(({ isType, name }) => ({
        isType,
        name: name.startsWith(".") ? normalize(join(dirname(file), name)) : name
      }))
      imports.set(file, found)
      const from = folderOf(sources, file)
      for (const { name } of found) {
        if (!name.startsWith(`${sources}/`)) continue
        const to = folderOf(sources, name)
        if (from === to) continue
        const edge = `${from} -> ${to}`
        examples.set(edge, examples.get(edge) ?? file)
        graph.set(from, (graph.get(from) ?? new Set()).add(to))
      }
    }
    for (const group of cyclesOf(graph)) {
      for (const [from, targets] of graph) {
        for (const to of targets) {
          if (group.has(from) && group.has(to)) {
            faults.push(`${examples.get(`${from} -> ${to}`)}: ${from} imports ${to}, which is a cycle of folders`)
          }
        }
      }
    }
  }

  for (const [file, found] of imports) {
    if (file.endsWith("repository.ts")) {
      for (const { isType, name } of found) {
        if (!isType && name.endsWith("/service.ts")) faults.push(`${file}: a repository imports the service ${name}`)
      }
    }
    if (!pure.test(file)) continue
    const reached = new Set([file])
    for (const next of reached) {
      for (const { isType, name } of imports.get(next) ?? []) {
        if (isType) continue
        if (impure.some((pattern) => pattern.test(name))) faults.push(`${file}: pure, and reaches ${name} by ${next}`)
        else reached.add(name)
      }
    }
  }
  return faults
}
