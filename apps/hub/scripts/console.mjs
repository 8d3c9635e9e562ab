/**
 * Builds the console (`packages/ui` → `packages/ui/dist`) when its sources have changed, and compresses it once, so
 * that the hub does not compress at run time. Plain JavaScript, because it runs on any Node (20 or later) of the
 * machine; Vite runs under the project's Node.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { extname, join, relative } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { findNode, root, withLock } from "./installation.mjs"
import { boundToParent, say } from "./process.mjs"

const ui = join(root, "packages", "ui")
const dist = join(ui, "dist")
/** A file in the built folder: the hash of the sources of the build. */
const stamp = ".sources"

/** The inputs of the build: a change in any of these requires a new build. */
const sources = [
  ui,
  join(root, "packages", "domain", "src"),
  join(root, "packages", "hub-client", "src"),
  join(root, "package-lock.json"),
  join(root, "tsconfig.base.json"),
  join(root, "apps", "hub", "scripts", "console.mjs")
]

const COMPRESSED_TYPES = new Set([".html", ".js", ".css", ".json", ".svg", ".webmanifest", ".txt"])
/** Compressing smaller files saves nothing on the wire: they fit in one packet either way. */
const COMPRESSED_BYTES_MIN = 1_024

const isSource = (name) => !name.startsWith(".") && name !== "dist" && name !== "node_modules"

const filesOf = (path, wanted) => {
  const entries = readdirSync(path, { withFileTypes: true }).filter(({ name }) => wanted(name))
  const below = (entry) => entry.isDirectory() ? filesOf(join(path, entry.name), wanted) : [join(path, entry.name)]
  return entries.flatMap(below).sort()
}

const hashOfSources = () => {
  const hash = createHash("sha256")
  for (const source of sources) {
    const files = extname(source) === "" ? filesOf(source, isSource) : [source]
    for (const file of files) {
      const bytes = readFileSync(file)
      hash.update(`${relative(root, file)} ${bytes.length}\n`).update(bytes)
    }
  }
  return hash.digest("hex")
}

const builtFrom = () => {
  try {
    return existsSync(join(dist, "index.html")) ? readFileSync(join(dist, stamp), "utf8") : undefined
  } catch {
    return undefined
  }
}

const compress = (folder) => {
  for (const file of filesOf(folder, () => true)) {
    if (!COMPRESSED_TYPES.has(extname(file))) continue
    const bytes = readFileSync(file)
    if (bytes.length < COMPRESSED_BYTES_MIN) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

const vite = (folder) => {
  const program = join(root, "node_modules", "vite", "bin", "vite.js")
  if (!existsSync(program)) throw new Error("Vite is not installed (npm ci)")
  if (!existsSync(join(ui, "index.html"))) throw new Error("packages/ui has no index.html")
  const build = [program, "build", ui, "--outDir", folder, "--emptyOutDir", "--logLevel", "error"]
  const [command, ...args] = boundToParent([findNode(), ...build])
  const { FORCE_COLOR: _, ...inherited } = process.env
  const env = { ...inherited, NODE_ENV: "production", NO_COLOR: "1" }
  const done = spawnSync(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", env })
  if (done.error) throw done.error
  if (done.status === 0) return
  throw new Error(
    stripVTControlCharacters(`${done.stdout}${done.stderr}`).trim() ||
      `Vite ended with ${done.signal ?? `exit code ${done.status}`}`
  )
}

/**
 * Builds beside the old console and replaces it when complete, so that a running hub never serves a partial console.
 */
const build = (hash) => {
  const left = readdirSync(ui).filter((name) => name.startsWith(".dist-"))
  for (const name of left) rmSync(join(ui, name), { recursive: true, force: true })
  const next = join(ui, `.dist-${process.pid}`)
  const old = join(ui, `.dist-old-${process.pid}`)
  mkdirSync(next)
  try {
    vite(next)
    compress(next)
    writeFileSync(join(next, stamp), hash)
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(next, dist)
  } finally {
    rmSync(next, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

/**
 * Builds the console when it is missing or older than its sources; takes some milliseconds when it is current. Two
 * processes at once build once.
 * @returns {{ built: boolean, problem?: string }} `problem`: why there is no console, or only an older one.
 */
export const ensureConsole = ({ announce = () => {} } = {}) => {
  try {
    if (builtFrom() === hashOfSources()) return { built: false }
    return withLock("console", () => {
      const hash = hashOfSources()
      if (builtFrom() === hash) return { built: false }
      announce()
      build(hash)
      return { built: true }
    })
  } catch (error) {
    return { built: false, problem: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * For a start of the hub: prints one line when it builds, and the reason when it cannot. The hub starts in both cases.
 */
export const ensureConsoleAtStart = () => {
  const announce = () => say("Building the console (some seconds, once after each change)…")
  const { problem } = ensureConsole({ announce })
  if (problem === undefined) return
  const [first, ...rest] = problem.split("\n")
  const without = existsSync(join(dist, "index.html")) ? "an older one is served" : "the hub starts without it"
  say(`The console could not be built, ${without}: ${first}`, "warn")
  for (const line of rest.slice(0, 20)) say(`  ${line}`, "warn")
}
