/** Output contains no secret, in any encoding and at any chunk size, and all other output is unchanged. */
import { makeMask, maskText } from "@countersign/desktop/device/results/masker"
import { assert, describe, it } from "@effect/vitest"

const key = "svc_device_live_0123456789abcdefghijklmnopqrstuvwx"
const secret = "it's a \"secret\" & more"
const mask = makeMask([key, secret])

const inPieces = (text: string, size: number): string => {
  const masker = mask.stream()
  const bytes = Buffer.from(text, "utf8")
  const out: Array<Buffer> = []
  for (let at = 0; at < bytes.length; at += size) out.push(masker.push(bytes.subarray(at, at + size)))
  return Buffer.concat([...out, masker.end()]).toString("utf8")
}

describe("D17: the masker", () => {
  const base64 = Buffer.from(`x${secret}`).toString("base64")
  const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\ndef\n-----END RSA PRIVATE KEY-----"
  const forms = [
    key,
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    `ghp_${"a1".repeat(18)}`,
    "AKIAABCDEFGHIJKLMNOP",
    pem,
    `eyJhbGciOiJIUzI1NiJ9.${"eyJzdWIiOiJ4In0".repeat(60)}.c2lnbmF0dXJl`
  ]

  for (const size of [1, 2, 7, 64, 100_000]) {
    it(`masks each secret in chunks of ${size} bytes, and keeps the text around it`, () => {
      for (const form of forms) {
        assert.strictEqual(inPieces(`before ${form} after\n`, size), `before ${maskText} after\n`)
        assert.strictEqual(inPieces(`"${form}"`, size), `"${maskText}"`)
      }
      assert.notInclude(inPieces(base64, size), base64.slice(4, -4))
      assert.notInclude(inPieces("z".repeat(600) + ` ${key}`, size), key.slice(20))
    })
    it(`changes nothing else in chunks of ${size} bytes`, () => {
      const text = `zażółć gęślą jaźń -----BEGIN nothing ${"long".repeat(5_000)}\n\tsvc_ sk- eyJ AKIA it's\n`
      assert.strictEqual(inPieces(text, size), text)
    })
  }

  it("takes no longer for text that repeatedly begins like a token", () => {
    // Before the fix each chunk of this size took half a minute, in which the agent answered nothing.
    const begun = performance.now()
    assert.strictEqual(inPieces("eyJ".repeat(40_000), 65_536), "eyJ".repeat(40_000))
    assert.isBelow(performance.now() - begun, 10_000)
  })
})
