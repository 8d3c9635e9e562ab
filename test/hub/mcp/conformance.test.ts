/**
 * The MCP server under the project's own conformance suite, pinned by `test/support/mcp-conformance`. Its other
 * scenarios need the tools, resources, and prompts of its example server.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureNodePackages } from "../../support/cached-tools.mjs"
import { HubTest, makeAgent, TestHub } from "../../support/hub.ts"

const scenarios = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]

/** A proxy that adds an agent's key, which the suite cannot send. Its own address becomes the hub's, any other stays. */
const withKey = (hubUrl: string, key: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const hub = new URL(hubUrl)
      const server = createServer((incoming, outgoing) => {
        const own = `${incoming.socket.localAddress}:${incoming.socket.localPort}`
        const headers = Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) =>
            name === "host" || name === "origin" ? [name, String(value).replace(own, hub.host)] : [name, value]
          )
        )
        const passed = request({
          host: hub.hostname,
          port: hub.port,
          path: incoming.url,
          method: incoming.method,
          headers: { ...headers, authorization: `Bearer ${key}` }
        }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.on("error", () => outgoing.destroy()).pipe(outgoing)
        })
        passed.on("error", () => outgoing.destroy())
        incoming.on("error", () => passed.destroy()).pipe(passed)
        outgoing.on("error", () => {}).on("close", () => passed.destroy())
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.close()
        server.closeAllConnections()
      })
  )

layer(HubTest(), { excludeTestServices: true })("the conformance suite of MCP", (it) => {
  it.effect(`passes the server in the scenarios ${scenarios.join(", ")}`, () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { key } = yield* makeAgent(hub, hub.owner)
      const { url } = yield* withKey(hub.url, key)
      const packages = ensureNodePackages("mcp-conformance", join(import.meta.dirname, "../../support/mcp-conformance"))
      const program = join(packages, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-conformance-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
      )
      for (const scenario of scenarios) {
        const { code, text } = yield* Effect.promise(async () => {
          const child = spawn(process.execPath, [program, "server", "--url", url, "--scenario", scenario], {
            cwd: folder,
            stdio: ["ignore", "pipe", "pipe"]
          })
          let text = ""
          for (const output of [child.stdout, child.stderr]) {
            output.setEncoding("utf8").on("data", (part: string) => {
              text += part
            })
          }
          const [code] = await once(child, "close")
          return { code, text }
        })
        assert.strictEqual(code, 0, text)
      }
    }), 240_000)
})
