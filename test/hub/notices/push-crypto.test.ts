/** The encryption of web push against the published example of RFC 8291, and the signature of RFC 8292. */
import { encrypted, keysProblem, newVapidKeys, vapidHeader } from "@countersign/hub/notices/push-crypto"
import { createECDH, createPublicKey, createVerify } from "node:crypto"
import { describe, expect, it } from "vitest"

/** RFC 8291, section 5 and appendix A. */
const example = {
  message: "When I grow up, I want to be a watermelon",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg"
  },
  sender: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7" +
    "A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
}

describe("web push", () => {
  it("encrypts as the example of RFC 8291", () => {
    const sender = createECDH("prime256v1")
    sender.setPrivateKey(Buffer.from(example.sender, "base64url"))
    const body = encrypted(example.message, example.keys, { sender, salt: Buffer.from(example.salt, "base64url") })
    expect(Buffer.from(body).toString("base64url")).toBe(example.body)
  })

  it("signs the origin of the endpoint, the expiry, and the contact with the hub's key", () => {
    const keys = newVapidKeys()
    const header = vapidHeader(keys, new URL("https://push.example/send/1?a=b"), "mailto:a@b.test", 1_000_000)
    const [, token = "", key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header)!
    expect(key).toBe(keys.publicKey)
    const [head = "", claims = "", signature = ""] = token.split(".")
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ typ: "JWT", alg: "ES256" })
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({
      aud: "https://push.example",
      exp: 1_000 + 43_200,
      sub: "mailto:a@b.test"
    })
    const point = Buffer.from(keys.publicKey, "base64url")
    const publicKey = createPublicKey({
      format: "jwk",
      key: {
        kty: "EC",
        crv: "P-256",
        x: point.subarray(1, 33).toString("base64url"),
        y: point.subarray(33).toString("base64url")
      }
    })
    const verify = createVerify("sha256").update(`${head}.${claims}`)
    expect(verify.verify({ key: publicKey, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"))).toBe(true)
  })

  it("refuses keys that no browser makes", () => {
    expect(keysProblem(example.keys)).toBeUndefined()
    expect(keysProblem({ ...example.keys, p256dh: Buffer.alloc(65, 4).toString("base64url") })?.path).toBe(
      "keys.p256dh"
    )
    expect(keysProblem({ ...example.keys, p256dh: "AAAA" })?.path).toBe("keys.p256dh")
    expect(keysProblem({ ...example.keys, auth: "AAAA" })?.path).toBe("keys.auth")
  })
})
