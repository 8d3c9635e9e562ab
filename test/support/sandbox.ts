/**
 * Shell scripts inside the device's sandbox, without a hub: as the user of the tests, and as an ordinary user if the
 * tests run as root.
 */
import { makePlaces } from "@countersign/desktop/device/files/places"
import { sandboxed } from "@countersign/desktop/device/sandbox/sandbox"
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** The id of a user without rights; every Linux system has it. */
export const nobody = 65_534
export const isRoot = process.getuid?.() === 0
/** The sandbox is the same for both; their rights outside of it differ. */
export const users = isRoot ? ["root", "an ordinary user"] as const : ["an ordinary user"] as const
export type User = typeof users[number]

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Given {
  readonly roots?: ReadonlyArray<string>
  readonly readable?: ReadonlyArray<string>
  readonly network?: boolean
  readonly writesGit?: boolean
  readonly program?: string
}

export interface SandboxPlace {
  /** The home directory of the user; no other rule on the machine hides it. */
  readonly home: string
  /** A folder below `home`. */
  readonly root: string
  /** The agent's own data. */
  readonly state: string
  /** Creates a file and its directories, owned by the user. */
  readonly file: (path: string, text: string) => string
  readonly sh: (script: string, given?: Given) => Effect.Effect<Ran>
}

/** `setpriv` only if the tests run as another user. */
const asUser = (user: User): ReadonlyArray<string> =>
  user === "root" || !isRoot ? [] : ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"]

/** Not in `/tmp`, which every sandbox hides; an ordinary user can reach it. */
const base = isRoot ? "/srv" : resolve(import.meta.dirname, "../../node_modules/.cache")

const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    mkdirSync(base, { recursive: true })
    return realpathSync(mkdtempSync(join(base, "sandbox-test-")))
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const sandboxPlace = (user: User): Effect.Effect<SandboxPlace, never, Scope.Scope> =>
  Effect.map(folder, (home) => {
    const give = (path: string): void => user === "root" || !isRoot ? undefined : chownSync(path, nobody, nobody)
    const makeFolder = (path: string): string => {
      if (existsSync(path)) return path
      makeFolder(dirname(path))
      mkdirSync(path)
      give(path)
      return path
    }
    const file = (path: string, text: string): string => {
      makeFolder(dirname(path))
      writeFileSync(path, text)
      give(path)
      return path
    }
    chmodSync(home, 0o755)
    give(home)
    const [root, state] = [makeFolder(join(home, "work")), makeFolder(join(home, "state"))]
    const copies = makeFolder(join(state, "scripts"))
    // The agent would create it otherwise, as the user.
    chmodSync(file(join(copies, "empty"), ""), 0o400)
    const sh = (
      script: string,
      { network = false, program = "/bin/sh", readable = [], roots = [root], writesGit = false }: Given = {}
    ): Effect.Effect<Ran> =>
      Effect.promise(async () => {
        const places = makePlaces(roots, [state], { home, isRoot: user === "root" })
        const directory = places.directory(roots[0])
        try {
          const start = await sandboxed("required", {
            path: program,
            argv: ["sh", "-c", script],
            directory,
            roots,
            closed: places.closed,
            readable,
            network,
            writesGit,
            copies,
            user: { home, isRoot: user === "root" }
          })
          const [starter = "", ...args] = [...asUser(user), start.path, ...start.argv.slice(1)]
          const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: home }
          return await ranProgram(starter, args, { cwd: root, env })
        } finally {
          directory.close()
        }
      })
    return { home, root, state, file, sh }
  })

/** Does not block the event loop, so that a server of the test can answer. */
const ranProgram = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
): Promise<Ran> =>
  new Promise((done) => {
    const child = execFile(program, args, { ...options, encoding: "utf8", timeout: 60_000 }, (_error, out, err) =>
      done({ code: child.exitCode, out, err }))
  })
