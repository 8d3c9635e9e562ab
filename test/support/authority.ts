/** Certificate authorities and server certificates for tests only, created on demand and valid for one day. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

const dayMillis = 86_400_000

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  const length = body.length < 128
    ? [body.length]
    : body.length < 256
    ? [0x81, body.length]
    : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const nameOf = (common: string) => sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(common)))))
const time = (millis: number) => der(0x18, Buffer.from(new Date(millis).toISOString().replace(/[-:T]|\.\d+/gu, "")))
const extension = (id: string, value: Buffer) => sequence(oid(id), der(0x04, value))
const isAuthority = extension("551d13", sequence(der(0x01, Buffer.from([0xff]))))
/** Valid for `localhost` and 127.0.0.1. */
const hosts = extension("551d11", sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1]))))

const certificateOf = (
  subject: string,
  issuer: string,
  subjectKey: KeyObject,
  issuerKey: KeyObject,
  kind: Buffer
): Buffer => {
  const now = Date.now()
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([0x40]), randomBytes(8)),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(time(now - dayMillis), time(now + dayMillis)),
    nameOf(subject),
    subjectKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(kind))
  )
  return sequence(signed, ecdsaWithSha256, der(0x03, Buffer.from([0]), sign("sha256", signed, issuerKey)))
}
const pem = (raw: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${
    raw.toString("base64").replace(/.{64}/gu, "$&\n").trimEnd()
  }\n-----END CERTIFICATE-----\n`

export interface AuthorityInTest {
  readonly pem: string
  /** Lower case, without colons. */
  readonly sha256: string
  /** The key and the certificate chain of a server at `localhost`. */
  readonly server: { readonly key: string; readonly cert: string }
}

export const makeAuthority = (name: string): AuthorityInTest => {
  const [own, server] = [0, 1].map(() => generateKeyPairSync("ec", { namedCurve: "P-256" }))
  const authority = certificateOf(name, name, own!.publicKey, own!.privateKey, isAuthority)
  const issued = certificateOf("localhost", name, server!.publicKey, own!.privateKey, hosts)
  return {
    pem: pem(authority),
    sha256: createHash("sha256").update(authority).digest("hex"),
    server: {
      key: server!.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
      cert: pem(issued) + pem(authority)
    }
  }
}
