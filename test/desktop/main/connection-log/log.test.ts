/** E18: what of the log leaves this computer. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { causeOf, entriesMax, openConnectionLog, writeMillis } from "@countersign/desktop/main/connection-log/log"
import { supportText } from "@countersign/desktop/main/connection-log/support-text"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { timers } from "../../../support/app-agent.ts"

let folder = ""
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), "log-")) })
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () => {
  const time = timers()
  const path = join(folder, "connections.json")
  return { log: openConnectionLog({ path, now: () => 1_000 + time.now(), after: time.after, secrets: ["a-secret-of-ours"] }), path, time }
}
const session = `svc_session_live_${"x".repeat(24)}`

describe("the connection log", () => {
  it("keeps each change with its cause over a restart, readable by its owner alone", () => {
    const { log, path, time } = open()
    log.write("offline", { about: "prf_1", detail: "ECONNREFUSED" })
    time.pass(writeMillis)
    log.write("connected", { about: "prf_1" })
    log.flush()
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.deepStrictEqual(open().log.entries("prf_1"), [
      { at: 1_000, about: "prf_1", event: "offline", detail: "ECONNREFUSED" }, { at: 1_000 + writeMillis, about: "prf_1", event: "connected" }
    ])
  })

  it("is a ring: the oldest leave, and the same in a row is one entry", () => {
    const { log } = open()
    for (let at = 0; at < entriesMax + 20; at++) log.write("offline", { detail: `cause ${at}` })
    assert.deepStrictEqual([log.entries().length, log.entries()[0]!.detail], [entriesMax, "cause 20"])
    for (let at = 0; at < 3; at++) log.write("offline", { detail: "the same" })
    assert.deepStrictEqual([log.entries().length, log.entries().at(-1)!.times], [entriesMax, 3])
  })

  it("E18: masks before it keeps, so that no file ever held a secret", () => {
    const { log, path } = open()
    log.write("offline", { detail: `cookie ${session} and a-secret-of-ours\u202e` })
    log.flush()
    const text = readFileSync(path, "utf8")
    assert.notInclude(text, session)
    assert.notInclude(text, "a-secret-of-ours")
    assert.include(text, "[U+202E]")
  })

  it("a file that cannot be read is put aside, and that is said", () => {
    const { log, path } = open()
    log.flush()
    writeFileSync(path, "not json")
    assert.strictEqual(open().log.entries()[0]!.event, "log_unreadable")
  })

  it("tells why a profile stopped", () => {
    assert.strictEqual(causeOf({ phase: "stopped", since: 0, cause: { kind: "hub_changed", expected: "a", found: "b" } }), "hub_changed: expected a, found b")
    assert.isUndefined(causeOf({ phase: "connected", since: 0 }))
  })
})

describe("the support text", () => {
  const facts = {
    appVersion: "0.1.0", system: "linux 6.1 x64", now: 0, device: "online at hub.acme.example", secrets: ["a-secret-of-ours"],
    profiles: [{ id: "prf_1", name: "Acme Payroll", url: "https://hub.acme.example:8443/base", phase: "offline" }]
  }

  it("E18: holds no name, no address and no secret, wherever they stand", () => {
    const text = supportText(facts, [
      { at: 1, about: "prf_1", event: "offline", detail: `getaddrinfo ENOTFOUND HUB.acme.example of acme payroll, ${session}, a-secret-of-ours` },
      { at: 2, about: "prf_9", event: "connected" }
    ])
    assert.notMatch(text, /acme/i)
    assert.notInclude(text, session)
    assert.notInclude(text, "a-secret-of-ours")
    assert.include(text, "hub 1: https, offline")
    assert.include(text, "hub 1  offline  getaddrinfo ENOTFOUND [hub 1] of [hub 1]")
    assert.include(text, "a removed hub  connected")
  })
})
