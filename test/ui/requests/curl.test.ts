import { curlOf, holdsMask, quoted } from "@countersign/ui/requests/curl"
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

describe("a request as a command", () => {
  it("gives a shell exactly the body that was asked, whatever is in it", () => {
    const payload = { text: "it's $HOME `id` \"quoted\" \\ and\nmore", n: 1 }
    const command = curlOf("http://127.0.0.1:4780", { service: "echo", operation: "say", payload })
    const shown = execFileSync("sh", [
      "-c",
      `curl() { for each; do printf '%s\\037' "$each"; done; }; AGENT_KEY=key; ${command}`
    ], { encoding: "utf8" })
    const told = shown.split("\u001f")
    assert.include(told, "http://127.0.0.1:4780/api/v1/service-requests")
    assert.include(told, "authorization: Bearer key")
    assert.deepStrictEqual(JSON.parse(told[told.indexOf("-d") + 1] ?? ""), {
      service: "echo",
      operation: "say",
      payload
    })
  })

  it("quotes nothing and quotes alone", () => {
    assert.strictEqual(quoted(""), "''")
    assert.strictEqual(quoted("'"), "''\\'''")
  })

  it("knows whether something was hidden from the reader, at any depth", () => {
    assert.isTrue(holdsMask({ card: { token: { $masked: true } } }))
    assert.isTrue(holdsMask([{ $masked: true }]))
    assert.isFalse(holdsMask({ $masked: true, more: 1 }))
    assert.isFalse(holdsMask(null))
  })
})
