/**
 * Prepares a fresh clone to run: installs the packages of package-lock.json and finds Node 24. Plain JavaScript,
 * because it runs on any Node (20 or later) of the machine, before anything is installed.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { say } from "./process.mjs"

export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
export const NODE_MAJOR = 24
/** A lock older than this is taken over, even if a process with its holder's id is running. */
const LOCK_MINUTES_MAX = 15

const readJson = (path) => {
  try {
    return JSON.parse(readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

const isForThisMachine = (entry) => {
  const matches = (field, value) => {
    const list = field === undefined ? [] : [field].flat()
    return list.every((x) => x.startsWith("!")) ? !list.includes(`!${value}`) : list.includes(value)
  }
  return matches(entry.os, process.platform) && matches(entry.cpu, process.arch)
}

/**
 * Compares package-lock.json with `node_modules/.package-lock.json`, which npm removes before it changes anything and
 * writes when all packages are installed; so an interrupted installation never counts. Returns the first difference, or
 * undefined. Of the packages that npm may skip, only the root's optional packages for this machine (PostgreSQL, Node)
 * are required.
 */
const firstDifference = ({ development }) => {
  const wanted = readJson(join(root, "package-lock.json"))?.packages
  if (wanted === undefined) throw new Error("package-lock.json is missing or damaged; check it out again")
  const present = readJson(join(root, "node_modules", ".package-lock.json"))?.packages
  if (present === undefined) return "node_modules"
  const own = wanted[""]?.optionalDependencies ?? {}
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes("node_modules/")) continue
    const found = present[path]
    if (found === undefined) {
      const name = path.slice("node_modules/".length)
      const mayBeMissing = entry.optional
        ? !(name in own && isForThisMachine(entry))
        : !development && (entry.dev || entry.devOptional)
      if (mayBeMissing) continue
      return path
    }
    if (found.link !== entry.link || found.version !== entry.version || found.integrity !== entry.integrity) return path
  }
  return undefined
}

/** Makes two concurrent starts do the work once. Directory creation is atomic on every platform. */
export const withLock = (name, work) => {
  const lock = join(tmpdir(), `countersign-${name}-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`)
  const holderLives = () => {
    const pid = Number(readJson(join(lock, "pid")))
    const started = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
    if (started === undefined) return false
    const age = Date.now() - started
    if (age > LOCK_MINUTES_MAX * 60_000) return false
    if (!Number.isInteger(pid) || pid === 0) return age < 5_000
    try {
      process.kill(pid, 0)
      return true
    } catch (error) {
      return error.code === "EPERM"
    }
  }
  for (;;) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== "EEXIST") throw error
      if (holderLives()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
      else rmSync(lock, { recursive: true, force: true })
    }
  }
  try {
    writeFileSync(join(lock, "pid"), String(process.pid))
    return work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

/** The first line of npm's output that is more than an error code. */
const firstReason = (output) =>
  output.split("\n").map((line) => /^npm error (?!code |errno |syscall |A complete log)(.+)/.exec(line)?.[1]?.trim())
    .find((reason) => reason !== undefined)

/** `add` keeps the existing packages, which a running hub may be using; `npm ci` would remove them first. */
const npm = ({ add, development }) => {
  const args = [
    ...add ? ["install", "--no-save"] : ["ci"],
    development ? "--include=dev" : "--omit=dev",
    "--include=optional",
    "--no-progress",
    "--loglevel=error"
  ]
  const ownCli = process.env.npm_execpath
  const [command, full] = ownCli?.endsWith(".js") && existsSync(ownCli)
    ? [process.execPath, [ownCli, ...args]]
    : ["npm", args]
  const modules = join(root, "node_modules")
  try {
    accessSync(existsSync(modules) ? modules : root, constants.W_OK)
  } catch {
    throw new Error(
      `The packages of package-lock.json are missing, and this user cannot write to ${modules}: ` +
        `run npm ci in ${root} as its owner, then start again`
    )
  }
  const done = spawnSync(command, full, {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    shell: command === "npm" && process.platform === "win32"
  })
  if (done.error?.code === "ENOENT") throw new Error("npm was not found; install Node.js with npm and start again")
  if (done.error) throw done.error
  if (done.status !== 0) {
    const reason = firstReason(done.stderr) ?? done.signal ?? `exit code ${done.status}`
    throw new Error(`npm ${args[0]} could not install the packages of package-lock.json: ${reason}`)
  }
}

/**
 * Installs the packages of package-lock.json that are missing; takes some milliseconds when none is. Without
 * `development`, packages that only tests and desktop builds need are not installed, and not removed.
 */
export const ensureInstalled = ({ development }) => {
  if (firstDifference({ development }) === undefined) return
  withLock("install", () => {
    if (firstDifference({ development }) === undefined) return
    const add = development && firstDifference({ development: false }) === undefined
    say(`Installing the packages of package-lock.json (npm ${add ? "install" : "ci"})…`)
    npm({ add, development })
    const missing = firstDifference({ development })
    if (missing !== undefined) {
      throw new Error(`npm ended without an error, yet ${missing} does not match package-lock.json`)
    }
  })
}

/**
 * Node's arguments for a hub. V8 lets short-lived objects fill 96 MB before it removes them, which doubles the memory of
 * a hub; half of that costs no measurable time. It begins with 1 MB, and copies what a start makes again and again. A
 * value in NODE_OPTIONS has priority.
 */
export const hubNodeArguments = () =>
  /--max[-_]semi[-_]space[-_]size/.test(process.env.NODE_OPTIONS ?? "")
    ? []
    : ["--max-semi-space-size=16", "--min-semi-space-size=16"]

/**
 * The Node of the lock file (an optional package of the platform), or the running Node if it is new enough.
 * @param {string} [installation] The folder of a package; npm puts its packages below it, or beside it.
 */
export const findNode = (installation = root) => {
  const platform = process.platform === "win32" ? "win" : process.platform
  const file = process.platform === "win32" ? "node.exe" : "node"
  const program = join(`node-${platform}-${process.arch}`, "bin", file)
  for (const candidate of [join(installation, "node_modules", program), join(dirname(installation), program)]) {
    try {
      accessSync(candidate, constants.X_OK)
      return candidate
    } catch {
      // The next place.
    }
  }
  if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR) return process.execPath
  throw new Error(
    `Node.js ${NODE_MAJOR} or later is needed and this is ${process.version}; ` +
      `there is no packaged Node for ${process.platform}-${process.arch}: install Node.js ${NODE_MAJOR} and start again`
  )
}
