import { newWebhookSecret, signStandard, signSvc, verifySignature } from "@countersign/hub/platform/signatures"
import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"

const now = Date.UTC(2026, 10, 21, 9)
const body = Buffer.from([0x7b, 0x22, 0xff, 0x00, 0x7d])
const secret = newWebhookSecret()
const valid = (headers: object, over: { secrets?: ReadonlyArray<string>; body?: Uint8Array; now?: number } = {}) =>
  verifySignature(over.secrets ?? [secret], {
    headers: headers as Record<string, string>,
    body: over.body ?? body,
    now: over.now ?? now
  })

describe("Standard Webhooks", () => {
  it("signs the published example as the specification does", () => {
    const signed = signStandard("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      at: 1614265330_000,
      body: "{\"test\": 2432232314}"
    })
    assert.strictEqual(signed["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })

  it("verifies raw bytes, among other signatures, with any of several secrets", () => {
    const signed = signStandard(secret, { id: "msg_1", at: now, body })
    assert.deepStrictEqual(valid(signed), { valid: true, scheme: "standard", id: "msg_1" })
    const many = { ...signed, "webhook-signature": `v1a,xxx v1,AAAA ${signed["webhook-signature"]}` }
    assert.isTrue(valid(many, { secrets: [newWebhookSecret(), secret] }).valid)
  })

  it("reads a plain text secret as its text", () => {
    assert.isTrue(valid(signStandard("plain text", { id: "m", at: now, body }), { secrets: ["plain text"] }).valid)
  })

  it("reads base64 without a prefix as the libraries do", () => {
    const bare = secret.slice("whsec_".length)
    assert.isTrue(valid(signStandard(secret, { id: "m", at: now, body }), { secrets: [bare] }).valid)
  })

  it("refuses other bytes, ids, times, secrets, and times outside of the tolerance", () => {
    const signed = signStandard(secret, { id: "msg_1", at: now, body })
    assert.isFalse(valid(signed, { body: Buffer.from("{}") }).valid)
    assert.isFalse(valid({ ...signed, "webhook-id": "msg_2" }).valid)
    assert.isFalse(valid({ ...signed, "webhook-timestamp": String(now / 1000 + 1) }).valid)
    assert.isFalse(valid(signed, { secrets: [newWebhookSecret()] }).valid)
    assert.isTrue(valid(signed, { now: now + 300_000 }).valid)
    assert.isFalse(valid(signed, { now: now + 301_000 }).valid)
    assert.isFalse(valid(signed, { now: now - 301_000 }).valid)
  })

  it("refuses an incomplete or empty header and an invalid number, and does not fall back to the other scheme", () => {
    const signed = signStandard(secret, { id: "msg_1", at: now, body })
    const svc = { "x-svc-signature": signSvc(secret, body) }
    assert.isFalse(valid({ "webhook-id": "msg_1", ...svc }).valid)
    assert.isFalse(valid({ ...signed, "webhook-timestamp": "1e9" }).valid)
    assert.isFalse(valid({ ...signed, "webhook-signature": "v1," }).valid)
    assert.isFalse(valid({ ...signed, "webhook-timestamp": "1", ...svc }).valid)
    assert.isFalse(valid(signed, { secrets: [] }).valid)
    assert.isFalse(valid(signed, { secrets: [""] }).valid)
  })
})

describe("X-Svc-Signature", () => {
  it("is HMAC-SHA256 of the raw body in hex", () => {
    const expected = `sha256=${createHmac("sha256", "shh").update(body).digest("hex")}`
    assert.strictEqual(signSvc("shh", body), expected)
    assert.deepStrictEqual(valid({ "x-svc-signature": expected }, { secrets: ["shh"] }), { valid: true, scheme: "svc" })
    assert.isTrue(
      valid({ "x-svc-signature": expected.toUpperCase().replace("SHA256", "sha256") }, { secrets: ["shh"] }).valid
    )
  })

  it("refuses other bytes, other secrets, other forms, and no signature", () => {
    const signature = signSvc("shh", body)
    assert.isFalse(valid({ "x-svc-signature": signature }, { secrets: ["shh"], body: Buffer.from("x") }).valid)
    assert.isFalse(valid({ "x-svc-signature": signature }, { secrets: ["shx"] }).valid)
    for (const form of [signature.slice(7), `${signature}0`, "sha256=", "sha1=aa", ""]) {
      assert.isFalse(valid({ "x-svc-signature": form }, { secrets: ["shh"] }).valid)
    }
    assert.isFalse(valid({}, { secrets: ["shh"] }).valid)
  })
})
