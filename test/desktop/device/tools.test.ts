/** The tools on files and addresses, without a hub: what they do, and what they refuse inside and outside the roots. */
import { makePlaces } from "@countersign/desktop/device/files/places"
import { Refusal } from "@countersign/desktop/device/results/refusal"
import { toolOf } from "@countersign/desktop/device/tools/registry"
import type { Finished } from "@countersign/desktop/device/tools/tool"
import type { Tool } from "@countersign/domain/device-tools"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { temporary } from "../../support/device-agent.ts"

const worldOf = Effect.fnUntraced(function*(isHome: boolean) {
  const home = realpathSync(yield* temporary)
  const root = isHome ? home : join(home, "root")
  const own = join(root, "state")
  for (const folder of isHome ? [] : [root, own, join(home, "outside")]) mkdirSync(folder)
  if (!isHome) writeFileSync(join(home, "outside", "secret"), "secret")
  if (!isHome) writeFileSync(join(own, "device.key"), "key")
  if (isHome) {
    for (const folder of [".config", "dotfiles/gcloud"]) mkdirSync(join(home, folder), { recursive: true })
    symlinkSync("../dotfiles/gcloud", join(home, ".config", "gcloud"))
  }
  const places = makePlaces([root], [own], ...(isHome ? [{ home, isRoot: false }] : []))
  const use = (
    tool: Tool,
    input: object,
    { between = () => {}, allow = [] as ReadonlyArray<string> } = {}
  ): Effect.Effect<Finished> =>
    Effect.promise(async () => {
      const directory = places.directory(root)
      try {
        const prepared = toolOf(tool)({
          command: "cmd_test",
          input,
          directory,
          places,
          rules: { version: 1, rules: [], net: { allow } },
          copies: join(own, "scripts"),
          isAgent: false
        })
        between()
        const finished = await prepared.run({
          print: () => {},
          stop: new AbortController().signal,
          kill: new AbortController().signal,
          consented: false
        })
        prepared.close?.()
        return finished
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { outcome: error.outcome, error: { code: error.code, message: error.message } }
      } finally {
        directory.close()
      }
    })
  const codeOf = (finished: Effect.Effect<Finished>) =>
    Effect.map(finished, ({ error, outcome }) => `${outcome} ${error?.code ?? ""}`.trim())
  // oxlint-disable-next-line typescript/no-explicit-any -- the wire, as it came
  const resultOf = (finished: Effect.Effect<Finished>) => Effect.map(finished, ({ result }) => result as any)
  return { home, root, places, use, codeOf, resultOf }
})

const world = worldOf(false)
/** The root is the user's home directory. */
const homeWorld = worldOf(true)

describe("the tools of the device", () => {
  it.live(
    "a search stops at once although its pattern takes minutes, and meanwhile the process does other work",
    () =>
      Effect.gen(function*() {
        const { root, places } = yield* world
        writeFileSync(join(root, "long.txt"), `${"a".repeat(4_000)}\n`.repeat(1_000))
        const stop = new AbortController()
        const directory = places.directory(root)
        const input = { path: ".", pattern: "(?:a?){900}[bc]$" }
        const prepared = toolOf("fs.search")({
          command: "cmd_test",
          isAgent: false,
          input,
          directory,
          places,
          rules: { version: 1, rules: [] },
          copies: root
        })
        const running = prepared.run({
          print: () => {},
          stop: stop.signal,
          kill: new AbortController().signal,
          consented: false
        })
        setTimeout(() => stop.abort(new Refusal("timed_out", "timed_out", "Its time is over")), 500)
        const reason: unknown = yield* Effect.promise(() => running.then(() => "ended", (error: unknown) => error))
        assert.instanceOf(reason, Refusal)
        assert.strictEqual((reason as Refusal).code, "timed_out")
        prepared.close?.()
        directory.close()
      })
  )

  it.live("a search refuses a pattern that is not RE2 or too complex, and reads no file for it", () =>
    Effect.gen(function*() {
      const { codeOf, use } = yield* world
      for (
        const pattern of [
          "(",
          "(?<=a)b",
          "(?:\\pL{1000}\\pN{1000}){1}(?:x{1000}y{1000}z{1000}){1}(?:u{1000}v{1000}w{1000}r{1000}s{1000}t{1000})"
        ]
      ) {
        assert.strictEqual(yield* codeOf(use("fs.search", { path: ".", pattern })), "failed invalid_input", pattern)
      }
    }))

  it.live("write, read, list, and search below a root", () =>
    Effect.gen(function*() {
      const { resultOf, root, use } = yield* world
      assert.deepInclude(
        yield* resultOf(use("fs.write", { path: "a/b/c.txt", content: "one\ntwo żółw\n", create_parents: true })),
        { created: true, bytes: 16 }
      )
      assert.deepInclude(yield* resultOf(use("fs.write", { path: "a/b/c.txt", content: "one\ntwo żółw\nthree\n" })), {
        created: false
      })
      assert.deepInclude(yield* resultOf(use("fs.read", { path: "a/b/c.txt", offset: 4, limit: 3 })), {
        content: "two",
        encoding: "utf8",
        next_offset: 7
      })
      assert.strictEqual(readFileSync(join(root, "a/b/c.txt"), "utf8"), "one\ntwo żółw\nthree\n")
      yield* use("fs.write", { path: "bytes", content: "AP/+", encoding: "base64" })
      assert.deepInclude(yield* resultOf(use("fs.read", { path: "bytes" })), {
        content: "AP/+",
        encoding: "base64",
        size: 3
      })
      const { entries } = yield* resultOf(use("fs.list", { path: ".", depth: 3 }))
      assert.deepStrictEqual(entries.map(({ path }: { path: string }) => path), ["a", "a/b", "a/b/c.txt", "bytes"])
      assert.deepInclude(yield* resultOf(use("fs.search", { path: ".", pattern: "^t(wo|hree)", glob: "*.txt" })), {
        matches: [{ path: "a/b/c.txt", line: 2, text: "two żółw" }, { path: "a/b/c.txt", line: 3, text: "three" }],
        truncated: false
      })
    }))

  it.live("D14: reach nothing outside a root by dots, by links, or by a link swapped in between", () =>
    Effect.gen(function*() {
      const { codeOf, home, resultOf, root, use } = yield* world
      symlinkSync(join(home, "outside"), join(root, "link"))
      symlinkSync(join(home, "outside", "secret"), join(root, "file-link"))
      for (const path of ["../outside/secret", "link/secret", "file-link", "/etc/passwd", "/proc/self/environ"]) {
        assert.strictEqual(yield* codeOf(use("fs.read", { path })), "denied outside_root", path)
      }
      assert.strictEqual(yield* codeOf(use("fs.write", { path: "link/new", content: "x" })), "denied outside_root")
      assert.strictEqual(
        yield* codeOf(use("fs.write", { path: "link/deep/new", content: "x", create_parents: true })),
        "denied outside_root"
      )
      assert.strictEqual(yield* codeOf(use("fs.write", { path: "file-link", content: "x" })), "denied outside_root")
      assert.strictEqual(readFileSync(join(home, "outside", "secret"), "utf8"), "secret")
      mkdirSync(join(root, "place"))
      writeFileSync(join(root, "place", "secret"), "mine")
      const swap = () => {
        renameSync(join(root, "place"), join(root, "moved"))
        symlinkSync(join(home, "outside"), join(root, "place"))
      }
      const back = () => {
        rmSync(join(root, "place"))
        renameSync(join(root, "moved"), join(root, "place"))
      }
      assert.deepInclude(yield* resultOf(use("fs.read", { path: "place/secret" }, { between: swap })), {
        content: "mine"
      })
      back()
      yield* use("fs.write", { path: "place/secret", content: "new" }, { between: swap })
      assert.strictEqual(readFileSync(join(home, "outside", "secret"), "utf8"), "secret")
      assert.strictEqual(readFileSync(join(root, "moved", "secret"), "utf8"), "new")
      assert.isFalse(existsSync(join(home, "outside", "new")))
    }))

  it.live("D15: refuse secrets, hooks, and the agent's own data inside a root too", () =>
    Effect.gen(function*() {
      const { codeOf, resultOf, root, use } = yield* world
      for (const folder of [".ssh", ".git/hooks"]) mkdirSync(join(root, folder), { recursive: true })
      for (const path of [".env", ".env.local", ".ssh/id", ".git/hooks/pre-commit", "state/device.key"]) {
        writeFileSync(join(root, path), "hidden")
        assert.strictEqual(yield* codeOf(use("fs.read", { path })), "denied closed_path", path)
        assert.strictEqual(yield* codeOf(use("fs.write", { path, content: "x" })), "denied closed_path", path)
      }
      assert.deepInclude(yield* resultOf(use("fs.search", { path: ".", pattern: "hidden|key" })), { matches: [] })
      const { entries } = yield* resultOf(use("fs.list", { path: ".", depth: 5 }))
      assert.deepStrictEqual(entries.map(({ path }: { path: string }) => path), [".git"])
      assert.strictEqual(statSync(join(root, "state", "device.key")).size, 6)
    }))

  it.live("D15: do not open credentials and start files in a root that is the home directory", () =>
    Effect.gen(function*() {
      const { codeOf, home, resultOf, use } = yield* homeWorld
      for (const path of [".config/gh/hosts.yml", ".bash_history", ".docker/config.json", "dotfiles/gcloud/token"]) {
        mkdirSync(join(home, path, ".."), { recursive: true })
        writeFileSync(join(home, path), "hidden")
      }
      for (const path of [".config/gh/hosts.yml", ".bash_history", ".docker/config.json", "dotfiles/gcloud/token"]) {
        assert.strictEqual(yield* codeOf(use("fs.read", { path })), "denied closed_path", path)
      }
      assert.deepInclude(yield* resultOf(use("fs.search", { path: ".", pattern: "hidden" })), { matches: [] })
      const { entries } = yield* resultOf(use("fs.list", { path: ".", depth: 4 }))
      assert.deepStrictEqual(entries.map(({ path }: { path: string }) => path), [".config", "dotfiles"])
      for (
        const path of [
          ".gitconfig",
          ".config/git/config",
          ".config/git/attributes",
          ".hgrc",
          ".bashrc",
          ".profile",
          ".zshrc",
          ".config/fish/config.fish",
          ".ssh/config",
          ".ssh/authorized_keys",
          ".config/autostart/x.desktop",
          ".config/systemd/user/x.service",
          ".local/bin/git",
          "crontab"
        ]
      ) {
        assert.strictEqual(
          yield* codeOf(use("fs.write", { path, content: "x", create_parents: true })),
          "denied closed_path",
          path
        )
      }
      for (const path of [".config/app.json", "project/.bashrc"]) {
        assert.strictEqual(
          yield* codeOf(use("fs.write", { path, content: "x", create_parents: true })),
          "succeeded",
          path
        )
      }
    }))

  it.live("http.get calls no private address except those that the owner lists", () =>
    Effect.gen(function*() {
      const { codeOf, resultOf, use } = yield* world
      const server = createServer((_request, response) => response.end("hello"))
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
        () => Effect.sync(() => server.close())
      )
      const { port } = server.address() as AddressInfo
      const url = `http://127.0.0.1:${port}/`
      assert.strictEqual(yield* codeOf(use("http.get", { url })), "denied egress_refused")
      assert.deepInclude(yield* resultOf(use("http.get", { url }, { allow: [`127.0.0.1:${port}`] })), {
        status: 200,
        body: "hello"
      })
    }))
})
