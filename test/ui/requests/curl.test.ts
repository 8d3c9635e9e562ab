import { curlOf, holdsMask, quoted } from "@countersign/ui/requests/curl"
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

describe("curl command of a request", () => {
  it("passes the exact body through a shell, whatever its content", () => {
    const payload = { text: "it's $HOME `id` \"quoted\" \\ and\nmore", n: 1 }
    const command = curlOf("http://127.0.0.1:4780", { service: "echo", operation: "say", payload })
    const shown = execFileSync("sh", [
      "-c",
      `curl() { for each; do printf '%s\\037' "$each"; done; }; AGENT_KEY=key; ${command}`
    ], { encoding: "utf8" })
    const args = shown.split("\u001f")
    assert.include(args, "http://127.0.0.1:4780/api/v1/service-requests")
    assert.include(args, "authorization: Bearer key")
    assert.deepStrictEqual(JSON.parse(args[args.indexOf("-d") + 1] ?? ""), {
      service: "echo",
      operation: "say",
      payload
    })
  })

  it("quotes empty text and single quotes", () => {
    assert.strictEqual(quoted(""), "''")
    assert.strictEqual(quoted("'"), "''\\'''")
  })

  it("finds a mask at any depth", () => {
    assert.isTrue(holdsMask({ card: { token: { $masked: true } } }))
    assert.isTrue(holdsMask([{ $masked: true }]))
    assert.isFalse(holdsMask({ $masked: true, more: 1 }))
    assert.isFalse(holdsMask(null))
  })
})
