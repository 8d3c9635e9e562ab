/**
 * A push service on loopback for tests. It makes browsers, decrypts with WebCrypto what it receives for them (RFC 8291),
 * checks the hub's signature (RFC 8292), and answers with the status that the test set.
 */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface PushedMessage {
  readonly browser: string
  readonly headers: IncomingHttpHeaders
  /** The decrypted JSON. */
  readonly message: { readonly title: string; readonly body: string; readonly path: string; readonly tag: string }
}

export interface TestBrowser {
  readonly name: string
  /** As `JSON.stringify(subscription)` of a browser. */
  readonly subscription: {
    readonly endpoint: string
    readonly expirationTime: null
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
}

export interface PushService {
  readonly port: number
  readonly received: ReadonlyArray<PushedMessage>
  readonly browser: (name: string) => Promise<TestBrowser>
  /** The status of the next answers. */
  readonly answerWith: (status: number) => void
}

const { subtle } = crypto
const text = new TextEncoder()
const base64url = (bytes: ArrayBuffer | Uint8Array): string => Buffer.from(bytes as Uint8Array).toString("base64url")

const derived = async (
  key: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  info: Uint8Array<ArrayBuffer>,
  bytes: number
) =>
  new Uint8Array(
    await subtle.deriveBits(
      { name: "HKDF", hash: "SHA-256", salt, info },
      await subtle.importKey("raw", key, "HKDF", false, ["deriveBits"]),
      bytes * 8
    )
  )

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts))

const verified = async (authorization: string, origin: string): Promise<void> => {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head = "", claims = "", signature = ""] = token.split(".")
  const publicKey = await subtle.importKey(
    "raw",
    new Uint8Array(Buffer.from(key, "base64url")),
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["verify"]
  )
  const isValid = await subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    publicKey,
    new Uint8Array(Buffer.from(signature, "base64url")),
    text.encode(`${head}.${claims}`)
  )
  const { aud, exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { aud: string; exp: number }
  if (!isValid || aud !== origin || exp * 1_000 < Date.now()) throw new Error("the signature is not valid")
}

export const pushService: Effect.Effect<PushService, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<PushedMessage> = []
    const opened = new Map<string, (body: Uint8Array) => Promise<string>>()
    let status = 201
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const open = opened.get(request.url ?? "")
        const act = async () => {
          if (open === undefined) return 404
          await verified(request.headers["authorization"] ?? "", origin)
          const message = JSON.parse(await open(new Uint8Array(Buffer.concat(chunks)))) as PushedMessage["message"]
          received.push({ browser: (request.url ?? "").slice(1), headers: request.headers, message })
          return status
        }
        act().then(
          (answer) => response.writeHead(answer).end(),
          (error: unknown) => response.writeHead(400).end(String(error))
        )
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`

    const browser = async (name: string): Promise<TestBrowser> => {
      const pair = await subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"])
      const own = new Uint8Array(await subtle.exportKey("raw", pair.publicKey))
      const auth = crypto.getRandomValues(new Uint8Array(16))
      opened.set(`/${name}`, async (body) => {
        const salt = joined(body.subarray(0, 16))
        const length = body[20]!
        const sender = joined(body.subarray(21, 21 + length))
        const key = await subtle.importKey("raw", sender, { name: "ECDH", namedCurve: "P-256" }, false, [])
        const shared = new Uint8Array(await subtle.deriveBits({ name: "ECDH", public: key }, pair.privateKey, 256))
        const secret = await derived(shared, auth, joined(text.encode("WebPush: info\0"), own, sender), 32)
        const content = await derived(secret, salt, joined(text.encode("Content-Encoding: aes128gcm\0")), 16)
        const iv = await derived(secret, salt, joined(text.encode("Content-Encoding: nonce\0")), 12)
        const plain = new Uint8Array(
          await subtle.decrypt(
            { name: "AES-GCM", iv },
            await subtle.importKey("raw", content, "AES-GCM", false, ["decrypt"]),
            joined(body.subarray(21 + length))
          )
        )
        if (plain.at(-1) !== 2) throw new Error("no last record")
        return Buffer.from(plain.subarray(0, -1)).toString()
      })
      return {
        name,
        subscription: {
          endpoint: `${origin}/${name}`,
          expirationTime: null,
          keys: { p256dh: base64url(own), auth: base64url(auth) }
        }
      }
    }
    return { server, service: { port, received, browser, answerWith: (next: number) => void (status = next) } }
  }),
  ({ server }) =>
    Effect.promise(() =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
    )
).pipe(Effect.map(({ service }) => service))
