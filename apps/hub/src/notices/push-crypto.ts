/**
 * Web push with node:crypto: messages encrypted for one browser (RFC 8291, one record of RFC 8188), and the signature
 * with which a push service recognizes the hub (VAPID, RFC 8292). `web-push` was weighed: its last release is from
 * January 2024, it brings its own HTTP client beside the egress guard, and eleven packages. A test checks the published
 * example of RFC 8291.
 */
import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  createSign,
  type ECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes
} from "node:crypto"

/** The most bytes of a message: push services take records of 4096 bytes, of which 103 are header, padding, and tag. */
export const messageBytesMax = 3_993
const recordBytes = 4_096
const publicBytes = 65
const saltBytes = 16
const authBytes = 16
const tokenSeconds = 12 * 3_600

export interface BrowserKeys {
  /** The browser's public key and secret, base64url. */
  readonly p256dh: string
  readonly auth: string
}

/** Why keys cannot be encrypted for; undefined when they can. */
export const keysProblem = (
  { auth, p256dh }: BrowserKeys
): { readonly path: string; readonly problem: string } | undefined => {
  try {
    const ecdh = createECDH("prime256v1")
    ecdh.generateKeys()
    const point = Buffer.from(p256dh, "base64url")
    if (point.length !== publicBytes) throw new Error("length")
    ecdh.computeSecret(point)
  } catch {
    return { path: "keys.p256dh", problem: "expected an uncompressed P-256 public key in base64url" }
  }
  return Buffer.from(auth, "base64url").length === authBytes
    ? undefined
    : { path: "keys.auth", problem: `expected ${authBytes} bytes in base64url` }
}

const derive = (key: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", key, salt, info, length))

/** The body of a push message. The options are the random values, which only tests set. */
export const encrypted = (
  message: string,
  { auth, p256dh }: BrowserKeys,
  options: { readonly salt?: Uint8Array; readonly sender?: ECDH } = {}
): Uint8Array => {
  const salt = options.salt ?? randomBytes(saltBytes)
  const sender = options.sender ?? createECDH("prime256v1")
  if (options.sender === undefined) sender.generateKeys()
  const receiver = Buffer.from(p256dh, "base64url")
  const own = sender.getPublicKey()
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, own])
  const secret = derive(sender.computeSecret(receiver), Buffer.from(auth, "base64url"), info, 32)
  const cipher = createCipheriv(
    "aes-128-gcm",
    derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16),
    derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12)
  )
  const header = Buffer.alloc(5)
  header.writeUInt32BE(recordBytes)
  header[4] = own.length
  return Buffer.concat([
    salt,
    header,
    own,
    // 2 marks the last record.
    cipher.update(Buffer.concat([Buffer.from(message), Buffer.from([2])])),
    cipher.final(),
    cipher.getAuthTag()
  ])
}

export interface VapidKeys {
  /** The uncompressed point, base64url: the `applicationServerKey` of browsers. */
  readonly publicKey: string
  /** The private scalar, base64url. */
  readonly privateKey: string
}

export const newVapidKeys = (): VapidKeys => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { d = "", x = "", y = "" } = privateKey.export({ format: "jwk" })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")])
  return { publicKey: point.toString("base64url"), privateKey: d }
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The `authorization` of a message to an endpoint. `contact` is a `mailto:` or `https:` address of the operator. */
export const vapidHeader = (keys: VapidKeys, endpoint: URL, contact: string, nowMillis: number): string => {
  const point = Buffer.from(keys.publicKey, "base64url")
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      d: keys.privateKey,
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url")
    }
  })
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${
    part({ aud: endpoint.origin, exp: Math.floor(nowMillis / 1_000) + tokenSeconds, sub: contact })
  }`
  const signature = createSign("sha256").update(signed).sign({ key, dsaEncoding: "ieee-p1363" })
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${keys.publicKey}`
}
