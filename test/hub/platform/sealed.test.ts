import { open, seal, SealBroken } from "@countersign/hub/platform/sealed"
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "vitest"

const key = randomBytes(32)

describe("sealed values", () => {
  it("open to the original, whatever the text", () => {
    for (const value of ["", "s3cret", "ünïcødé 🦊", "a\u0000b", "x".repeat(100_000)]) {
      assert.strictEqual(open(key, seal(key, value, ["org_1", "name"]), ["org_1", "name"]), value)
    }
  })

  it("differ each time, and show nothing of the value", () => {
    const sealed = Array.from({ length: 50 }, () => Buffer.from(seal(key, "the value", ["a"])).toString("latin1"))
    assert.lengthOf(new Set(sealed), 50)
    assert.isTrue(sealed.every((text) => !text.includes("value")))
  })

  it("do not open in another place, with another key, or with one changed bit", () => {
    const sealed = seal(key, "s3cret", ["org_1", "name"])
    assert.throws(() => open(key, sealed, ["org_2", "name"]), SealBroken)
    assert.throws(() => open(key, sealed, ["org_1n", "ame"]), SealBroken)
    assert.throws(() => open(randomBytes(32), sealed, ["org_1", "name"]), SealBroken)
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed)
      changed[at]! ^= 1
      assert.throws(() => open(key, changed, ["org_1", "name"]), SealBroken, undefined, `byte ${at}`)
    }
    for (const length of [0, 1, 28]) {
      assert.throws(() => open(key, sealed.subarray(0, length), ["org_1", "name"]), SealBroken)
    }
  })

  it("show nothing of the key or the value when they do not open", () => {
    const error = (() => {
      try {
        return open(randomBytes(32), seal(key, "s3cret", ["a"]), ["a"])
      } catch (error) {
        return error as Error
      }
    })()
    assert.notInclude(JSON.stringify([error, String(error), (error as Error).stack]), "s3cret")
  })
})
