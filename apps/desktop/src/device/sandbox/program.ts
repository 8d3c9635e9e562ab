/**
 * Finds a bubblewrap that works on this machine, with the strongest isolation that it can set up. Containers and older
 * releases support less; `doctor` reports the missing parts. Spec: reference/devices.md "D16: sandbox".
 */
import { execFile, spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"

const programs = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"]
const probeMillis = 10_000

/** In every variant: no capabilities, and separate namespaces for processes, IPC, host name, and control groups. */
const common = [
  "--cap-drop",
  "ALL",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--die-with-parent"
]

/**
 * From the strongest to the weakest. Root gets a user namespace too, which maps root to itself, so file ownership is
 * unchanged. Only root can do without one, in containers that forbid it.
 */
const variants: ReadonlyArray<{ readonly isolation: ReadonlyArray<string>; readonly missing?: string }> = [
  { isolation: ["--unshare-user", "--disable-userns", ...common] },
  { isolation: ["--unshare-user", ...common], missing: "commands can create user namespaces (bubblewrap before 0.8)" },
  { isolation: common, missing: "no user namespace (this machine forbids it)" }
]

export interface SandboxProgram {
  readonly path: string
  readonly isolation: ReadonlyArray<string>
  /** The isolation that this variant lacks, compared to the strongest. */
  readonly missing?: string
}

const probe = (
  isolation: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...isolation,
  "--ro-bind",
  "/",
  "/",
  "--proc",
  "/proc",
  "--remount-ro",
  "/proc",
  "--dev",
  "/dev",
  "--tmpfs",
  "/tmp",
  "--",
  "/bin/true"
]

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return process.platform === "linux"
  } catch {
    return false
  }
}

const candidates = (): ReadonlyArray<SandboxProgram> =>
  programs.filter(isThere).flatMap((path) => variants.map((variant) => ({ path, ...variant })))

let found: SandboxProgram | null | undefined

/** Looked up once. */
export const findSandbox = (): SandboxProgram | undefined => {
  found ??=
    candidates().find(({ isolation, path }) =>
      spawnSync(path, probe(isolation), { stdio: "ignore", timeout: probeMillis }).status === 0
    ) ?? null
  return found ?? undefined
}

const works = ({ isolation, path }: SandboxProgram): Promise<boolean> =>
  new Promise((resolve) =>
    void execFile(path, probe(isolation), { timeout: probeMillis }, (error) => resolve(error === null))
  )

/** `findSandbox` without blocking the event loop. */
export const lookForSandbox = async (): Promise<SandboxProgram | undefined> => {
  for (const candidate of found === undefined ? candidates() : []) {
    if (found == null && await works(candidate)) found = candidate
  }
  found ??= null
  return found ?? undefined
}
