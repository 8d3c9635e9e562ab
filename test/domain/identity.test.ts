import { Email, emailKey, isEmail, isNewPassword, NewPassword } from "@countersign/domain/identity"
import { TokenInput } from "@countersign/domain/tokens"
import { WorkspacePatch } from "@countersign/domain/workspaces"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"

const accepts = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: unknown) =>
  Schema.decodeUnknownOption(schema)(value, { onExcessProperty: "error" })._tag === "Some"

describe("input of people", () => {
  it("accepts an e-mail address leniently", () => {
    for (const email of ["me@localhost", "Ada.Lovelace+x@box.test", "ü@exämple.org", "a@b", "o'neil@[127.0.0.1]"]) {
      assert.isTrue(accepts(Email, email), email)
      assert.isTrue(isEmail(email), email)
    }
    for (
      const email of [
        "",
        "ada",
        "@b",
        "a@",
        "a@b@c",
        " a@b",
        "a@b ",
        "a b@c",
        "a@b\n",
        "a\u0000@b",
        `${"a".repeat(254)}@b`
      ]
    ) {
      assert.isFalse(accepts(Email, email), JSON.stringify(email))
      assert.isFalse(isEmail(email), JSON.stringify(email))
    }
    assert.strictEqual(emailKey("Ada@Box.TEST"), emailKey("ada@box.test"))
  })

  it("accepts a new password of 12 to 256 characters of any kind, counted as code points", () => {
    for (const password of ["x".repeat(12), " ".repeat(12), "🦊".repeat(12), "🦊".repeat(256), "é".repeat(256)]) {
      assert.isTrue(accepts(NewPassword, password))
      assert.isTrue(isNewPassword(password))
    }
    for (
      const password of ["", "x".repeat(11), "🦊".repeat(6), "x".repeat(257), "🦊".repeat(257), "x".repeat(100_000)]
    ) {
      assert.isFalse(accepts(NewPassword, password))
    }
  })

  it("accepts a token with at least one scope, each known and unique, and a lifetime of at most a year", () => {
    const ok = { name: "ci", scopes: ["agents:read"] }
    assert.isTrue(accepts(TokenInput, ok))
    assert.isTrue(accepts(TokenInput, { ...ok, expires_in_days: 365 }))
    for (
      const bad of [
        { ...ok, scopes: [] },
        { ...ok, scopes: ["agents:read", "agents:read"] },
        { ...ok, scopes: ["agents:*"] },
        { ...ok, name: " " },
        { ...ok, name: "a\u0007b" },
        { ...ok, expires_in_days: 0 },
        { ...ok, expires_in_days: 366 },
        { ...ok, expires_in_days: 1.5 },
        { ...ok, role: "owner" }
      ]
    ) assert.isFalse(accepts(TokenInput, bad), JSON.stringify(bad))
  })

  it("bounds the settings of a workspace", () => {
    for (
      const good of [
        {},
        { approval_life_seconds: 60 },
        { approval_life_seconds: 2_592_000 },
        { retention_days: null, step_up_cents: null },
        { device_output_days: 3_650 },
        { alert_levels: [] },
        { alert_levels: [50, 80, 100] },
        { approval_threshold_cents: 0 }
      ]
    ) assert.isTrue(accepts(WorkspacePatch, good), JSON.stringify(good))
    for (
      const bad of [
        { approval_life_seconds: 59 },
        { approval_life_seconds: 2_592_001 },
        { approval_threshold_cents: -1 },
        { approval_threshold_cents: null },
        { alert_levels: [80, 50] },
        { alert_levels: [50, 50] },
        { alert_levels: [0] },
        { alert_levels: Array.from({ length: 11 }, (_, at) => at + 1) },
        { retention_days: 0 },
        { device_output_days: 0 },
        { device_output_days: null },
        { step_up_cents: 0.5 },
        { id: "org_x" },
        { name: "" }
      ]
    ) assert.isFalse(accepts(WorkspacePatch, bad), JSON.stringify(bad))
  })
})
