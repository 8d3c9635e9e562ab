/**
 * Runs a program in bubblewrap, where it works: no capabilities, the system read-only, home directories and secrets
 * hidden, the roots writable, no network unless allowed, and namespaces that end with the first process. Spec:
 * reference/devices.md "D15: closed files", "D16: sandbox".
 */
import type { DeviceRules } from "@countersign/domain/device-rules"
import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { repositoryOf } from "../files/git-places.ts"
import { currentUser, type SandboxUser, secretsOfHomes, startFilesOfHomes } from "../files/homes.ts"
import { isWithin, realOf } from "../files/paths.ts"
import type { Opened } from "../files/places.ts"
import { denied, failed } from "../results/refusal.ts"
import { findSandbox } from "./program.ts"
import { scan } from "./scan.ts"
import { hiddenFolders, listeningSockets, type Mask, systemMasks } from "./view.ts"

export { findSandbox, lookForSandbox } from "./program.ts"

/** `/proc` is read-only: root owns the kernel's settings there and needs no capability to write them. */
const base = ["--ro-bind", "/", "/", "--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
/** Bubblewrap accepts 9,000 arguments. */
const masksMax = 2_000

export interface Start {
  readonly path: string
  readonly argv: ReadonlyArray<string>
  readonly directory: string
}

export interface Inside {
  readonly path: string
  readonly argv: ReadonlyArray<string>
  readonly directory: Opened
  /** Real paths. */
  readonly roots: ReadonlyArray<string>
  readonly closed: ReadonlyArray<string>
  /** Hidden paths that the owner makes readable. */
  readonly readable: ReadonlyArray<string>
  readonly network: boolean
  /** The program is Git itself: the repository of the working directory is writable. */
  readonly writesGit: boolean
  /** The agent's own folder for copies mounted over other files. */
  readonly copies: string
  /** Files replaced by copies. */
  readonly copied?: ReadonlyArray<{ readonly path: string; readonly copy: string }>
  readonly user?: SandboxUser
}

/** The effect of the rule on this machine. */
export const sandboxOf = (wanted: NonNullable<DeviceRules["sandbox"]>): "bubblewrap" | "none" =>
  wanted === "off" || findSandbox() === undefined ? "none" : "bubblewrap"

/** Links are never mounted: the mount would expose their targets. */
const isReal = (path: string): boolean => realOf(path).includes(path)

/** An empty read-only file, so programs that read a masked file find it empty instead of failing. */
const emptyFile = (copies: string): string => {
  mkdirSync(copies, { recursive: true, mode: 0o700 })
  const path = join(copies, "empty")
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o400 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
  return path
}

const maskArguments = (masks: ReadonlyArray<Mask>, empty: string): ReadonlyArray<string> =>
  masks.flatMap(({ folder, path }) => folder ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", empty, path])

/** Programs with a network resolve names with it; the file is often a link into `/run`. */
const resolver = (): ReadonlyArray<string> =>
  realOf("/etc/resolv.conf").filter((path) => isWithin("/run", path)).flatMap((path) => ["--ro-bind", path, path])

/**
 * The directories between a root and a path closed by its location, outermost first. Each becomes a mount, which cannot
 * be renamed: if it could be moved, the file would not be recognized, and another could replace it.
 */
const waysTo = (places: ReadonlyArray<string>, roots: ReadonlyArray<string>): ReadonlyArray<string> => {
  const ways = new Set<string>()
  for (const place of places) {
    for (let at = dirname(place); roots.some((root) => root !== at && isWithin(root, at)); at = dirname(at)) {
      ways.add(at)
    }
  }
  return [...ways].sort((a, b) => a.length - b.length)
}

/** Bubblewrap could not start a hidden program and would not report why. */
const refuseHidden = (program: string, hidden: ReadonlyArray<string>, visible: ReadonlyArray<string>): void => {
  const isHidden = (path: string) =>
    hidden.some((folder) => isWithin(folder, path)) && !visible.some((folder) => isWithin(folder, path))
  const found = [program, ...realOf(program)].find(isHidden)
  if (found !== undefined) {
    throw failed(
      "program_hidden",
      `The sandbox hides ${found}. The device's owner can add its directory to sandbox_readable`
    )
  }
}

const viewOf = async (
  { closed, copied = [], copies, directory, network, path, readable, roots, user = currentUser(), writesGit }: Inside
): Promise<ReadonlyArray<string>> => {
  const hidden = hiddenFolders(user)
  const shown = readable.flatMap(realOf)
  refuseHidden(path, hidden, [...roots, ...shown])
  const [system, found, listening] = await Promise.all([
    systemMasks(user),
    scan([...roots, ...shown], closed),
    listeningSockets()
  ])
  const ofHomes = secretsOfHomes(user, roots).filter(isReal).map((secret) => ({
    path: secret,
    folder: statSync(secret).isDirectory()
  }))
  const starts = startFilesOfHomes(user, roots).filter(isReal)
  const isShown = ({ path }: Mask): boolean => shown.includes(path)
  const secrets = [...found.secrets, ...ofHomes].filter((mask) => !isShown(mask))
  const ofMachine = system.filter((mask) => !isShown(mask) && !hidden.some((folder) => isWithin(folder, mask.path)))
  const unseen = [...hidden, ...roots, ...ofMachine.filter(({ folder }) => folder).map((mask) => mask.path)]
  // System sockets lead to services that run as root. With a network, sockets in a root are as open as the addresses of
  // the machine.
  const services = listening.filter((path) => !unseen.some((folder) => isWithin(folder, path)))
  const near = found.sockets.filter((path) => !network || !roots.some((root) => isWithin(root, path)))
  const ofSystem = [...ofMachine, ...services.map((path) => ({ path, folder: false }))]
  const ofRoots = [...secrets, ...near.map((path) => ({ path, folder: false }))]
  const masks = [...ofSystem, ...ofRoots]
  if (masks.length + found.git.length + starts.length > masksMax) {
    throw denied("root_too_large", `The roots hold more than ${masksMax} files with secrets: open a smaller directory`)
  }
  // Other repositories in the same root stay read-only: a command may have created the one in which Git works.
  const written = writesGit ? repositoryOf(directory.path, roots) : []
  const empty = emptyFile(copies)
  return [
    ...base,
    ...(network ? [] : ["--unshare-net"]),
    ...maskArguments(ofSystem, empty),
    ...hidden.flatMap((folder) => ["--tmpfs", folder]),
    ...(network ? resolver() : []),
    ...roots.flatMap((root) => ["--bind", root, root]),
    ...shown.filter((place) => !roots.some((root) => isWithin(root, place))).flatMap((
      place
    ) => ["--ro-bind", place, place]),
    ...waysTo([...ofHomes.map((secret) => secret.path), ...found.named, ...starts], roots).flatMap((
      place
    ) => ["--bind", place, place]),
    ...starts.flatMap((place) => ["--ro-bind", place, place]),
    ...found.git.filter((place) => !written.includes(place)).flatMap((place) => ["--ro-bind", place, place]),
    ...maskArguments(ofRoots, empty),
    ...closed.flatMap((own) => ["--tmpfs", own, "--remount-ro", own]),
    ...copied.flatMap(({ copy, path }) => ["--ro-bind", copy, path]),
    "--chdir",
    directory.path
  ]
}

/** Denied `sandbox_missing`, `root_too_large`; failed `program_hidden`. */
export const sandboxed = async (wanted: NonNullable<DeviceRules["sandbox"]>, inside: Inside): Promise<Start> => {
  const { argv, directory, path } = inside
  const bwrap = wanted === "off" ? undefined : findSandbox()
  if (bwrap === undefined) {
    if (wanted === "required") {
      throw denied("sandbox_missing", "This device's rules require a sandbox, and none works here (bubblewrap)")
    }
    return { path, argv, directory: directory.handle }
  }
  return {
    path: bwrap.path,
    argv: ["bwrap", ...bwrap.isolation, ...await viewOf(inside), "--", path, ...argv.slice(1)],
    directory: directory.handle
  }
}
