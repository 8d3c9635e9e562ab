/** The npm package `countersign`, installed from its tarball on an empty machine, as a person starts it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { announcedFile, spawnProgram } from "../support/hub-program.ts"
import { apiOf, expectStatus } from "../support/hub.ts"
import { must, packed } from "../support/packed.ts"

it.live(
  "the package runs the hub with its console, its processes, and its commands, and keeps its data",
  () =>
    Effect.gen(function*() {
      const { folder, install, machine } = yield* packed
      install()
      const installed = join(machine, "node_modules", "countersign")
      const { dependencies } = JSON.parse(readFileSync(join(installed, "npm-shrinkwrap.json"), "utf8")).packages[""]
      for (const name of Object.keys(dependencies)) {
        assert.isTrue(existsSync(join(machine, "node_modules", name)), name)
      }

      const env = { XDG_DATA_HOME: join(folder, "data"), HUB_PORT: "0", HUB_LOG_LEVEL: "warn" }
      const start = spawnProgram(["npx", "--no-install", "countersign", "start"], env, { cwd: machine })
      const command = (url: string, key: string, ...args: ReadonlyArray<string>) =>
        must(join(machine, "node_modules", ".bin", "countersign"), args, machine, {
          ...env,
          COUNTERSIGN_URL: url,
          COUNTERSIGN_API_KEY: key
        })
      const paid = yield* Effect.scoped(Effect.gen(function*() {
        const hub = yield* start
        const [, url = ""] = yield* hub.line(/Countersign is ready on ([^\s"]+)/)
        const api = apiOf(url)
        const text = yield* announcedFile(hub, /The workspace Demo is ready to try/)
        const key = /agent_key_live_\w+/.exec(text)![0]
        const as = { key }
        const said = expectStatus(
          yield* api("POST", "/service-requests", { ...as, body: { service: "echo", operation: "say", payload: {} } }),
          200
        ).body
        assert.strictEqual(said.status, "executed")
        // The embedder is a separate process, and its model a package.
        const memories = `/agents/${said.agent_id}/memories`
        expectStatus(
          yield* api("POST", memories, { ...as, body: { kind: "fact", content: "She is allergic to peanuts." } }),
          201
        )
        const found = expectStatus(yield* api("GET", `${memories}?q=food`, as), 200).body
        assert.strictEqual(found.data[0].content, "She is allergic to peanuts.")
        const console = yield* Effect.promise(() => fetch(url).then((answer) => answer.text()))
        assert.include(console, "/assets/")
        assert.strictEqual(
          JSON.parse(command(url, key, "dispatch", "echo.say", "{\"text\":\"hello\"}")).result.echo.text,
          "hello"
        )
        const program = join(installed, "lib", "command.js")
        assert.strictEqual(command(url, key, "--help"), must(process.execPath, [program, "--help"], machine))
        assert.include(command(url, key, "hub", "doctor"), "checks passed")
        assert.include(command(url, key, "device", "--help"), "device pair")
        // Only npx receives the signal.
        yield* hub.kill("SIGTERM")
        return { id: said.id as string, key }
      }))

      yield* Effect.scoped(Effect.gen(function*() {
        const hub = yield* start
        const [, url = ""] = yield* hub.line(/Countersign is ready on ([^\s"]+)/)
        const again =
          expectStatus(yield* apiOf(url)("GET", `/service-requests/${paid.id}`, { key: paid.key }), 200).body
        assert.strictEqual(again.status, "executed")
        assert.deepStrictEqual(readdirSync(join(folder, "data")), ["countersign"])
        yield* hub.kill("SIGTERM", "group")
      }))
    }).pipe(Effect.scoped),
  600_000
)
