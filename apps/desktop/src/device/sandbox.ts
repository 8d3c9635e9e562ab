/**
 * Bubblewrap around a program, where it works: no capability, the system read-only, home directories and secrets out of sight, the roots
 * writable, no network unless it is allowed, and namespaces that end with the first process. Spec: D15, D16.
 */
import type { DeviceRules } from "@countersign/domain/device-rules"
import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { repositoryOf } from "./git-places.ts"
import { currentUser, type SandboxUser, secretsOfHomes, startFilesOfHomes } from "./homes.ts"
import { isWithin, realOf } from "./paths.ts"
import type { Opened } from "./places.ts"
import { denied, failed } from "./refusal.ts"
import { findSandbox } from "./sandbox-program.ts"
import { scan } from "./sandbox-scan.ts"
import { hiddenFolders, listeningSockets, type Mask, systemMasks } from "./sandbox-view.ts"

export { findSandbox, lookForSandbox } from "./sandbox-program.ts"

/** `/proc` is read-only: root owns the kernel's settings there, and needs no capability to write them. */
const base = ["--ro-bind", "/", "/", "--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
/** Bubblewrap takes 9,000 arguments. */
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
  /** Of hidden places, what the owner makes readable. */
  readonly readable: ReadonlyArray<string>
  readonly network: boolean
  /** The program is Git itself: the repository that it works in is writable. */
  readonly writesGit: boolean
  /** The agent's own folder for what is seen in the place of another file. */
  readonly copies: string
  /** Files that are seen in the place of others. */
  readonly copied?: ReadonlyArray<{ readonly path: string; readonly copy: string }>
  readonly user?: SandboxUser
}

/** What these rules come to on this machine. */
export const sandboxOf = (wanted: NonNullable<DeviceRules["sandbox"]>): "bubblewrap" | "none" =>
  wanted === "off" || findSandbox() === undefined ? "none" : "bubblewrap"

/** Links are never mounted: the mount would show what they lead to. */
const isReal = (path: string): boolean => realOf(path).includes(path)

/** An empty file, read-only: programs that look for a masked file find nothing in it, instead of an error. */
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

/** Names are looked up by programs that use the network; the file often is a link into `/run`. */
const resolver = (): ReadonlyArray<string> =>
  realOf("/etc/resolv.conf").filter((path) => isWithin("/run", path)).flatMap((path) => ["--ro-bind", path, path])

/**
 * The directories between a root and what is closed by its place in it, outermost first. Each becomes a mount, which cannot be renamed:
 * elsewhere the file would not be known any more, and another could take its place.
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

/** A program that the sandbox hides could not be started, and bubblewrap would not say why. */
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
  // Sockets of the system lead to services that run as root. With a network, those in a root are as open as the addresses of the machine.
  const services = listening.filter((path) => !unseen.some((folder) => isWithin(folder, path)))
  const near = found.sockets.filter((path) => !network || !roots.some((root) => isWithin(root, path)))
  const ofSystem = [...ofMachine, ...services.map((path) => ({ path, folder: false }))]
  const ofRoots = [...secrets, ...near.map((path) => ({ path, folder: false }))]
  const masks = [...ofSystem, ...ofRoots]
  if (masks.length + found.git.length + starts.length > masksMax) {
    throw denied("root_too_large", `The roots hold more than ${masksMax} files with secrets: open a smaller directory`)
  }
  // Another repository in the same root stays as it is: a command may have made the one that Git works in.
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
