/**
 * Large npm packages and tools of other registries that only some tests use: installed in pinned versions into the
 * user's cache, once per list of versions. The hub itself needs none of them.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { basename, join } from "node:path"

const installSecondsMax = 300

const cacheFolder = () => {
  const given = process.env["XDG_CACHE_HOME"]
  return join(given !== undefined && given.startsWith("/") ? given : join(homedir(), ".cache"), "countersign")
}

/** @param {string} program @param {ReadonlyArray<string>} args @param {string} [cwd] */
const must = (program, args, cwd) => {
  const { error, status, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: installSecondsMax * 1000,
    ...cwd === undefined ? {} : { cwd }
  })
  if (error !== undefined || status !== 0) {
    throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? stderr.trim()}`)
  }
}

/**
 * The folder of an installation. It is completed under another name first, so that an aborted or concurrent run leaves
 * no partial installation.
 * @param {string} name
 * @param {ReadonlyArray<string | Buffer>} versions A change of these leads to a new installation.
 * @param {string} proof A file of a complete installation.
 * @param {(folder: string) => void} install
 */
const ensure = (name, versions, proof, install) => {
  const digest = createHash("sha256")
  for (const each of versions) digest.update(each)
  const folder = join(cacheFolder(), `${name}-${digest.digest("hex").slice(0, 16)}`)
  const isThere = () => existsSync(join(folder, proof))
  if (isThere()) return folder
  mkdirSync(cacheFolder(), { recursive: true })
  const building = mkdtempSync(join(cacheFolder(), "building-"))
  try {
    install(building)
    renameSync(building, folder)
  } catch (error) {
    if (!isThere()) throw error
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
  return folder
}

/**
 * The Python interpreter with the packages of a requirements file. Requires `hasPython`; throws pip's output when pip
 * fails.
 * @param {string} requirements
 */
export const ensurePython = (requirements) => {
  const version = spawnSync("python3", ["--version"], { encoding: "utf8" }).stdout
  const folder = ensure(
    basename(requirements, ".txt"),
    [version, readFileSync(requirements)],
    join("bin", "python"),
    (building) => {
      must("python3", ["-m", "venv", building])
      must(join(building, "bin", "python"), [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
        requirements
      ])
    }
  )
  return join(folder, "bin", "python")
}

/**
 * The folder whose `node_modules` has the packages of a folder's `package-lock.json`. Their install scripts do not run.
 * @param {string} name
 * @param {string} source
 */
export const ensureNodePackages = (name, source) => {
  const files = ["package.json", "package-lock.json"].map((file) => join(source, file))
  return ensure(
    name,
    [process.version, ...files.map((file) => readFileSync(file))],
    join("node_modules", ".package-lock.json"),
    (building) => {
      for (const file of files) copyFileSync(file, join(building, basename(file)))
      must("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], building)
    }
  )
}
