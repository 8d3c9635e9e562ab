import { credentialKinds, mintCredential, parseCredential } from "@countersign/domain/credentials"
import { crc32 } from "node:zlib"
import { assert, describe, it } from "vitest"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const base62 = (text: string) =>
  [...text].reduce((value, character) => value * 62n + BigInt(alphabet.indexOf(character)), 0n)

describe("a credential", () => {
  it("has its kind's prefix, 43 characters of secret and a CRC-32 of all characters before the check, at a fixed width", () => {
    for (const kind of credentialKinds) {
      for (let count = 0; count < 50; count++) {
        const { token, hint } = mintCredential(kind)
        assert.match(token, new RegExp(`^${kind}_[0-9A-Za-z]{49}$`))
        assert.strictEqual(base62(token.slice(-6)), BigInt(crc32(token.slice(0, -6))))
        assert.isTrue(base62(token.slice(kind.length + 1, -6)) < 1n << 256n)
        assert.strictEqual(hint, `${kind}_…${token.slice(-4)}`)
        assert.deepStrictEqual(parseCredential(token), { ok: true, kind })
      }
    }
  })

  it("is never created twice", () => {
    assert.strictEqual(new Set(Array.from({ length: 1000 }, () => mintCredential("svc_pat_live").token)).size, 1000)
  })

  it("is mistyped when one character is wrong, or two neighbors are swapped", () => {
    const { token } = mintCredential("agent_key_live")
    for (let at = "agent_key_live_".length; at < token.length; at++) {
      for (const other of ["0", "z"]) {
        if (token[at] === other) continue
        assert.deepStrictEqual(parseCredential(token.slice(0, at) + other + token.slice(at + 1)), {
          ok: false,
          reason: "mistyped"
        })
      }
      const swapped = token.slice(0, at) + (token[at + 1] ?? "") + token[at]! + token.slice(at + 2)
      if (swapped !== token) assert.isFalse(parseCredential(swapped).ok, swapped)
    }
  })

  it("is mistyped when it is cut, extended, or given another kind's prefix", () => {
    const { token } = mintCredential("agent_key_live")
    const bad = [
      token.slice(0, -1),
      `${token}0`,
      `${token}\n`,
      "agent_key_live_",
      token.replace("_live_", "_test_"),
      token.replace("agent_key", "svc_pat"),
      `agent_key_live_${"é".repeat(49)}`
    ]
    for (const text of bad) assert.deepStrictEqual(parseCredential(text), { ok: false, reason: "mistyped" }, text)
  })

  it("is unknown without one of the hub's prefixes", () => {
    for (
      const text of ["", "agent_key_", "sk_live_123", "Agent_key_live_x", ` ${mintCredential("svc_pat_live").token}`]
    ) {
      assert.deepStrictEqual(parseCredential(text), { ok: false, reason: "unknown" }, text)
    }
  })
})
