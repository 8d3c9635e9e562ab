import { isNewPassword, passwordLengthMax, passwordLengthMin } from "@countersign/domain/identity"
import * as rules from "@countersign/ui/setup/password-rules.ts"
import { tokenIn } from "@countersign/ui/setup/setup-link.ts"
import { expect, it } from "vitest"

it("password rules equal the hub's", () => {
  expect([rules.passwordLengthMin, rules.passwordLengthMax]).toEqual([passwordLengthMin, passwordLengthMax])
  for (
    const text of [
      "",
      "short",
      "elevenchars",
      "twelve chars",
      "🔐".repeat(11),
      "🔐".repeat(12),
      "a".repeat(256),
      "a".repeat(257)
    ]
  ) {
    expect(rules.judgePassword(text).kind === "good", text.slice(0, 20)).toBe(isNewPassword(text))
  }
  expect(rules.judgePassword("🔐🔐")).toEqual({ kind: "short", missing: 10 })
})

it("finds the token in the hub's output, and in no other text", () => {
  const token = "l4Y8t9QMeIvL8os5iIxq1-18jlobbMATGOIzAUj127E"
  expect(tokenIn(`http://127.0.0.1:4780/setup#token=${token}`)).toBe(token)
  expect(tokenIn(`  No owner yet. The setup link: https://hub.test/setup#token=${token}\n`)).toBe(token)
  expect(tokenIn(`token=${token}&x=1`)).toBe(token)
  expect(tokenIn(token)).toBe(token)
  for (
    const wrong of [
      "",
      "http://127.0.0.1:4780/setup",
      `${token}x`,
      token.slice(1),
      "#token="
    ]
  ) expect(tokenIn(wrong)).toBeUndefined()
})
