/** The built desktop app with only `electron` replaced: starts main, and calls its handlers as a window does. */
import type { Answer } from "@countersign/desktop/bridge/answer"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs"
import { registerHooks } from "node:module"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { withLock } from "../../apps/hub/scripts/installation.mjs"
// Types of the stub only, which is loaded instead of `electron`.
import type { record as Record } from "./electron-stub.mjs"

const root = resolve(import.meta.dirname, "../..")
export const out = join(root, "apps", "desktop", "out")
const stub = pathToFileURL(join(import.meta.dirname, "electron-stub.mjs")).href

/** The inputs of the build. */
const sources = [
  "apps/desktop/src",
  "apps/desktop/package.json",
  "packages/hub-client/src",
  "packages/ui/src",
  "packages/domain/src",
  "electron.vite.config.ts",
  "package-lock.json"
]

const newest = (path: string): number => {
  const found = statSync(path)
  return found.isDirectory() ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name)))) : found.mtimeMs
}
const builtAt = (): number =>
  Math.min(
    ...[
      "main/index.js",
      "main/device.js",
      "main/matcher-thread.js",
      "preload/index.cjs",
      "preload/confirm.cjs",
      "preload/owner.cjs",
      "renderer/index.html",
      "renderer/confirm.html",
      "renderer/owner.html"
    ].map((name) => statSync(join(out, name), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  )
const isCurrent = (): boolean => builtAt() > Math.max(...sources.map((path) => newest(join(root, path))))

/** Builds the app if its sources are newer than the build, in some 10 seconds. Concurrent calls build once. */
export const ensureBuilt = (): void => {
  if (isCurrent()) return
  withLock("desktop", () => {
    if (isCurrent()) return
    const build = [join(root, "apps", "desktop", "scripts", "desktop.mjs"), "build"]
    const { error, status, stderr } = spawnSync(process.execPath, build, { cwd: root, encoding: "utf8" })
    if (error !== undefined || status !== 0) {
      throw new Error(`the desktop app could not be built: ${error?.message ?? stderr}`)
    }
  })
}

// oxlint-disable-next-line typescript/no-explicit-any -- recorded by the stub
type Any = any

export interface BuiltMain {
  readonly record: typeof Record
  /** Calls a handler as the window with this id, from this address. Rejects when main refuses the call. */
  readonly invoke: (
    window: number,
    channel: string,
    args: ReadonlyArray<unknown>,
    from?: { readonly url?: string; readonly isSubFrame?: boolean }
  ) => Promise<Answer<Any>>
  readonly electron: Any
}

/** Call it once per process: main composes itself when it is loaded. */
export const loadBuiltMain = async (prepare: (record: typeof Record) => void = () => {}): Promise<BuiltMain> => {
  process.env["TEST_USER_DATA"] = mkdtempSync(join(tmpdir(), "desktop-app-"))
  // Keeps the test out of the developer's own autostart folder.
  process.env["XDG_CONFIG_HOME"] = join(process.env["TEST_USER_DATA"], "config")
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "electron" ? { url: stub, shortCircuit: true } : next(specifier, context)
  })
  const electron = await import(/* @vite-ignore */ stub) as { readonly record: typeof Record }
  prepare(electron.record)
  try {
    await import(/* @vite-ignore */ pathToFileURL(join(out, "main", "index.js")).href)
  } finally {
    hooks.deregister()
  }
  const { record } = electron
  return {
    record,
    electron,
    invoke: async (window, channel, args, { isSubFrame = false, url } = {}) => {
      const handler = record.handlers.get(channel)
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`)
      const contents = record.windows.find(({ id }) => id === window)?.contents ??
        { id: window, mainFrame: { url: url ?? "" } }
      const frame = isSubFrame || url !== undefined && url !== contents.mainFrame.url
        ? { url: url ?? contents.mainFrame.url }
        : contents.mainFrame
      // A call from another page in the main frame.
      const sender = url !== undefined && !isSubFrame ? { ...contents, id: contents.id, mainFrame: frame } : contents
      return structuredClone(
        await handler({ sender, senderFrame: frame }, ...structuredClone(args) as ReadonlyArray<unknown>)
      )
    }
  }
}

export const preloadText = (name: "index" | "confirm" | "owner"): string =>
  readFileSync(join(out, "preload", `${name}.cjs`), "utf8")

/** Retries until `look` returns a value; the test's own timeout limits it. */
export const eventually = async <A>(look: () => A | undefined): Promise<A> => {
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Quits the app; resolves when main has stopped everything. */
export const quit = async ({ electron, record }: BuiltMain): Promise<void> => {
  electron.app.emit("will-quit", { preventDefault: () => {} })
  await eventually(() => record.exits.length > 0 ? true : undefined)
}
