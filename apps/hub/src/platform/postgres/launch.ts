/**
 * Chooses the account, the binaries, and the directory of the server's programs. PostgreSQL refuses to run as root, so
 * root has three ways, in this order: an unprivileged account, where it can reach the files; a user namespace in which
 * root's files belong to an ordinary user; a copy of unreachable files in a place that the account can enter.
 */
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { type Binaries, programPath } from "./binaries.ts"
import { LOCATION_FILE } from "./data-directory.ts"
import { EmbeddedPostgresError } from "./errors.ts"

export const rootWays = ["account", "namespace", "copy"] as const
export type RootWay = (typeof rootWays)[number]

export interface Account {
  readonly uid: number
  readonly gid: number
}

export interface Launch {
  readonly way: "self" | RootWay
  /** The directory that contains `bin`. */
  readonly binaries: string
  readonly major: number
  /** PGDATA. May not exist yet; its parent does. */
  readonly cluster: string
  /** The required owner of the cluster's files, where that is not this process's own user. */
  readonly owner: Account | undefined
  /** The spawn options that switch to that account. */
  readonly spawnAs: { readonly uid?: number; readonly gid?: number }
  /** Programs in front of the server's own: `unshare …`. */
  readonly prefix: ReadonlyArray<string>
}

export interface LaunchOptions {
  readonly dataDir: string
  /** In the order of the attempts. */
  readonly ways?: ReadonlyArray<RootWay> | undefined
  /** The place of the third way's copies. */
  readonly copyDir?: string | undefined
}

const COPY_DIR = "/var/lib/countersign"

export const environment = { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" }

const lookUpNobody = (): Account => {
  try {
    const fields = /^nobody:.*$/m.exec(readFileSync("/etc/passwd", "utf8"))?.[0].split(":")
    const [uid, gid] = [Number(fields?.[2]) >>> 0, Number(fields?.[3]) >>> 0]
    if (uid > 0 && gid > 0) return { uid, gid }
  } catch {
    // a machine without that file uses the default number
  }
  return { uid: 65534, gid: 65534 }
}

/** `initdb` refuses an account that is missing from the system's user database. */
const isKnown = ({ uid }: Account): boolean =>
  spawnSync("getent", ["passwd", String(uid)], { stdio: "ignore" }).status === 0
const isUsable = (owner: Account | undefined): owner is Account =>
  owner !== undefined && owner.uid !== 0 && isKnown(owner)

const ownerOf = (path: string): Account | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : { uid: found.uid, gid: found.gid }
}

/**
 * Tests it on the system itself, as that account, so that access lists, mount options, and missing libraries count too.
 */
const succeeds = (command: ReadonlyArray<string>, account?: Account): boolean =>
  spawnSync(command[0] ?? "", command.slice(1), { ...account, cwd: "/", env: environment, stdio: "ignore" }).status ===
    0
const canRun = (account: Account, binaries: string): boolean =>
  existsSync(join(binaries, "bin")) && succeeds([programPath(binaries, "postgres"), "--version"], account)
const canEnter = (account: Account, directory: string): boolean =>
  succeeds(["/bin/sh", "-c", "cd \"$1\"", "sh", directory], account)
/**
 * In the namespace, root's files and the process belong to the user `nobody`, not to an arbitrary number, because
 * `initdb` looks the number up.
 */
const namespacePrefix = (): ReadonlyArray<string> => {
  const { gid, uid } = lookUpNobody()
  return ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"]
}
const namespaceWorks = (prefix: ReadonlyArray<string>, binaries: string, directory: string): boolean =>
  succeeds([
    ...prefix,
    "/bin/sh",
    "-c",
    "cd \"$1\" && exec \"$2\" --version",
    "sh",
    directory,
    programPath(binaries, "postgres")
  ])

/**
 * Lets the account pass through a directory of root's; its contents keep their modes. Other directories stay unchanged.
 */
const openFor = (account: Account, directory: string): void => {
  const { mode, uid } = statSync(directory)
  if (uid !== 0 || (mode & 0o077) !== 0) return
  chownSync(directory, 0, account.gid)
  chmodSync(directory, 0o710)
}

const exists = (cluster: string): boolean => existsSync(join(cluster, "PG_VERSION"))

const clusterOf = (dataDir: string): string => {
  try {
    return readFileSync(join(dataDir, LOCATION_FILE), "utf8").trim()
  } catch {
    return join(dataDir, "postgres")
  }
}

/** 60 MB once for each version; renamed into place, so an interrupted copy is never run. */
const copyBinaries = (binaries: Binaries, copyDir: string): string => {
  const target = join(copyDir, `postgresql-${binaries.version}`)
  if (existsSync(target)) return target
  const draft = `${target}.${process.pid}`
  cpSync(binaries.directory, draft, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
  return target
}

/**
 * Decides how to run, without changing the cluster. `dataDir` exists.
 * @throws EmbeddedPostgresError when no way works
 */
export const planLaunch = (binaries: Binaries, options: LaunchOptions): Launch => {
  const { dataDir } = options
  const cluster = clusterOf(dataDir)
  const base = {
    binaries: binaries.directory,
    major: binaries.major,
    cluster,
    owner: undefined,
    spawnAs: {},
    prefix: []
  }
  if (process.getuid?.() !== 0) return { ...base, way: "self" }

  const account = [ownerOf(cluster), ownerOf(dataDir)].find(isUsable) ?? lookUpNobody()
  const asAccount = { ...base, owner: account, spawnAs: account }
  const reaches = () => {
    if (canEnter(account, dirname(dataDir))) openFor(account, dataDir)
    return canEnter(account, dirname(cluster))
  }
  const tryWay: Record<RootWay, () => Launch | undefined> = {
    account: () => canRun(account, binaries.directory) && reaches() ? { ...asAccount, way: "account" } : undefined,
    namespace: () => {
      if (process.platform !== "linux") return undefined
      const prefix = namespacePrefix()
      if (!namespaceWorks(prefix, binaries.directory, dirname(cluster))) return undefined
      return { ...base, way: "namespace", owner: { uid: 0, gid: 0 }, prefix }
    },
    copy: () => {
      const copyDir = options.copyDir ?? COPY_DIR
      mkdirSync(copyDir, { recursive: true, mode: 0o755 })
      const copied = canRun(account, binaries.directory) ? binaries.directory : copyBinaries(binaries, copyDir)
      if (!canRun(account, copied)) return undefined
      if (reaches()) return { ...asAccount, way: "copy", binaries: copied }
      // a database in a place where it cannot run is not abandoned for a new, empty one
      if (exists(cluster)) return undefined
      const elsewhere = join(copyDir, `data-${crypto.randomUUID().slice(0, 8)}`)
      mkdirSync(elsewhere, { mode: 0o700 })
      openFor(account, elsewhere)
      writeFileSync(join(dataDir, LOCATION_FILE), `${join(elsewhere, "postgres")}\n`, { mode: 0o600 })
      return { ...asAccount, way: "copy", binaries: copied, cluster: join(elsewhere, "postgres") }
    }
  }
  for (const way of options.ways ?? rootWays) {
    const launch = tryWay[way]()
    if (launch !== undefined) return launch
  }
  throw new EmbeddedPostgresError({
    reason: "data_directory_unusable",
    detail: `PostgreSQL does not run as root, and no other account can reach ${cluster}: ` +
      "set HUB_DATA_DIR to a directory whose parents others may enter (and move what is in it), or start the hub as another user."
  })
}

const chownAll = (path: string, owner: Account): void => {
  const found = lstatSync(path)
  if (found.isDirectory()) { for (const name of readdirSync(path)) chownAll(join(path, name), owner) }
  if (!found.isSymbolicLink()) chownSync(path, owner.uid, owner.gid)
}

/**
 * Gives the cluster's files to the account that will run on them: they have another owner after a restore, a move, or a
 * start by another way. The top directory changes last, so that an interrupted change of owner is repeated. A user who
 * is not root cannot do it.
 */
export const handOver = (launch: Launch, cluster = launch.cluster): void => {
  const found = statSync(cluster)
  if (launch.owner === undefined) {
    const uid = process.getuid?.()
    if (uid !== undefined && found.uid !== uid) {
      throw new EmbeddedPostgresError({
        reason: "data_directory_unusable",
        detail: `The database in ${cluster} belongs to another user (uid ${found.uid}): ` +
          "start the hub as that user, or change the owner (chown -R)."
      })
    }
  } else if (found.uid !== launch.owner.uid) {
    chownAll(cluster, launch.owner)
  }
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) chmodSync(cluster, 0o700)
}
