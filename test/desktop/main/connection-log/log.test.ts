/** E18: which text of the log leaves this computer. */
import { causeOf, entriesMax, openConnectionLog, writeMillis } from "@countersign/desktop/main/connection-log/log"
import { supportText } from "@countersign/desktop/main/connection-log/support-text"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { timers } from "../../../support/app-agent.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () => {
  const time = timers()
  const path = join(folder, "connections.json")
  return {
    log: openConnectionLog({ path, now: () => 1_000 + time.now(), after: time.after, secrets: ["a-secret-of-ours"] }),
    path,
    time
  }
}
const session = `svc_session_live_${"x".repeat(24)}`

describe("the connection log", () => {
  it("keeps each change with its cause over a restart, readable only by its owner", () => {
    const { log, path, time } = open()
    log.write("offline", { about: "prf_1", detail: "ECONNREFUSED" })
    time.pass(writeMillis)
    log.write("connected", { about: "prf_1" })
    log.flush()
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.deepStrictEqual(open().log.entries("prf_1"), [
      { at: 1_000, about: "prf_1", event: "offline", detail: "ECONNREFUSED" },
      { at: 1_000 + writeMillis, about: "prf_1", event: "connected" }
    ])
  })

  it("drops the oldest entries, and combines equal entries in a row", () => {
    const { log } = open()
    for (let at = 0; at < entriesMax + 20; at++) log.write("offline", { detail: `cause ${at}` })
    assert.deepStrictEqual([log.entries().length, log.entries()[0]!.detail], [entriesMax, "cause 20"])
    for (let at = 0; at < 3; at++) log.write("offline", { detail: "the same" })
    assert.deepStrictEqual([log.entries().length, log.entries().at(-1)!.times], [entriesMax, 3])
  })

  it("E18: masks before it stores, so that no file contains a secret", () => {
    const { log, path } = open()
    log.write("offline", { detail: `cookie ${session} and a-secret-of-ours\u202e` })
    log.flush()
    const text = readFileSync(path, "utf8")
    assert.notInclude(text, session)
    assert.notInclude(text, "a-secret-of-ours")
    assert.include(text, "[U+202E]")
  })

  it("moves an unreadable file and logs it", () => {
    const { log, path } = open()
    log.flush()
    writeFileSync(path, "not json")
    assert.strictEqual(open().log.entries()[0]!.event, "log_unreadable")
  })

  it("names the cause of a stopped profile", () => {
    assert.strictEqual(
      causeOf({ phase: "stopped", since: 0, cause: { kind: "hub_changed", expected: "a", found: "b" } }),
      "hub_changed: expected a, found b"
    )
    const sha256 = "0a".repeat(32)
    assert.strictEqual(
      causeOf({
        phase: "stopped",
        since: 0,
        cause: { kind: "untrusted_certificate", subject: "CN=Acme", sha256, code: "CERT_UNTRUSTED", may_import: true }
      }),
      `untrusted_certificate: CERT_UNTRUSTED, SHA-256 ${Array(32).fill("0A").join(":")}`
    )
    assert.isUndefined(causeOf({ phase: "connected", since: 0 }))
  })
})

describe("the support text", () => {
  const facts = {
    appVersion: "0.1.0",
    system: "linux 6.1 x64",
    now: 0,
    device: "online at hub.acme.example",
    secrets: ["a-secret-of-ours"],
    profiles: [{ id: "prf_1", name: "Acme Payroll", url: "https://hub.acme.example:8443/base", phase: "offline" }]
  }

  it("E18: contains no name, address, or secret anywhere", () => {
    const text = supportText(facts, [
      {
        at: 1,
        about: "prf_1",
        event: "offline",
        detail: `getaddrinfo ENOTFOUND HUB.acme.example of acme payroll, ${session}, a-secret-of-ours`
      },
      { at: 2, about: "prf_9", event: "connected" }
    ])
    assert.notMatch(text, /acme/i)
    assert.notInclude(text, session)
    assert.notInclude(text, "a-secret-of-ours")
    assert.include(text, "hub 1: https, offline")
    assert.include(text, "hub 1  offline  getaddrinfo ENOTFOUND [hub 1] of [hub 1]")
    assert.include(text, "a removed hub  connected")
  })

  it.each([
    [
      "the address of a removed hub",
      "desk is not paired; revoke it on https://old.acme.example:8443/base?x=1 too",
      "desk is not paired; revoke it on [address] too"
    ],
    ["its host with a single label", "getaddrinfo ENOTFOUND acme", "getaddrinfo ENOTFOUND [address]"],
    [
      "its host in a sentence",
      "old.acme.example did not answer (old.acme.example:8443).",
      "[address] did not answer ([address])."
    ],
    ["an IP address", "connect ECONNREFUSED 10.0.0.7:443", "connect ECONNREFUSED [address]"],
    [
      "the subject of a certificate",
      "untrusted_certificate: CERT_UNTRUSTED, CN=Acme Corp CA, O=Acme Inc., SHA-256 AB:CD",
      "untrusted_certificate: CERT_UNTRUSTED, [subject], SHA-256 AB:CD"
    ],
    [
      "the user's folder",
      "path=/home/ada lovelace/.config/Countersign/panic.json.broken-1",
      "path=~/.config/Countersign/panic.json.broken-1"
    ],
    ["another user's folder", "EACCES: open '/home/grace/x.json'", "EACCES: open '~/x.json'"],
    [
      "a Windows folder in JSON",
      String.raw`{"path":"C:\\Users\\grace\\AppData\\x.json"}`,
      String.raw`{"path":"~\\AppData\\x.json"}`
    ],
    ["the device's name and id", "Desk-1 (dev_01m7zt4m4hehqtty0f0b3hkexr) ended", "[device] ([device]) ended"],
    [
      "no code, version, or file name",
      "ERR_TLS_CERT_ALTNAME_INVALID code=5 v0.2.0 of settings.json, see device.log.",
      "ERR_TLS_CERT_ALTNAME_INVALID code=5 v0.2.0 of settings.json, see device.log."
    ]
  ])("E18: replaces by its pattern %s", (_, detail, left) => {
    const text = supportText({ ...facts, deviceName: "desk-1", home: "/home/ada lovelace" }, [{
      at: 1,
      event: "device_agent_ended",
      detail
    }])
    assert.include(text, `app  device_agent_ended  ${left}`)
  })
})
