/**
 * Passwords: argon2id (RFC 9106) by node:crypto with OWASP's parameters, stored as PHC strings. Spec:
 * reference/accounts.md "Passwords". A hash takes 19 MiB and tens of milliseconds of a core, so few run at once, and a
 * long queue is refused.
 */
import { type Unavailable, unavailable } from "@countersign/domain/errors"
import { Context, Effect, Layer, Semaphore } from "effect"
import { argon2, randomBytes, timingSafeEqual } from "node:crypto"

export interface Argon2Parameters {
  readonly memoryKib: number
  readonly passes: number
  readonly lanes: number
}

export const argon2Parameters: Argon2Parameters = { memoryKib: 19_456, passes: 2, lanes: 1 }

const saltBytes = 16
const tagBytes = 32
const atOnce = 2
/** Maximum number of queued hashes: a second or two of work. */
const waitingMax = 64

interface Phc {
  readonly parameters: Argon2Parameters
  readonly salt: Buffer
  readonly tag: Buffer
}

const phcPattern = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "")

const printPhc = ({ parameters, salt, tag }: Phc): string =>
  `$argon2id$v=19$m=${parameters.memoryKib},t=${parameters.passes},p=${parameters.lanes}$${unpadded(salt)}$${
    unpadded(tag)
  }`

const parsePhc = (text: string): Phc | undefined => {
  const match = phcPattern.exec(text)
  return match === null ? undefined : {
    parameters: { memoryKib: Number(match[1]), passes: Number(match[2]), lanes: Number(match[3]) },
    salt: Buffer.from(match[4]!, "base64"),
    tag: Buffer.from(match[5]!, "base64")
  }
}

/** Keyboards encode the same password in different ways; NFC makes them equal. */
const derive = (password: string, { memoryKib, passes, lanes }: Argon2Parameters, salt: Buffer, tagLength: number) =>
  Effect.callback<Buffer>((resume) => {
    argon2("argon2id", {
      message: Buffer.from(password.normalize("NFC")),
      nonce: salt,
      memory: memoryKib,
      passes,
      parallelism: lanes,
      tagLength
    }, (error, tag) => resume(error === null ? Effect.succeed(tag) : Effect.die(error)))
  })

export interface Verdict {
  readonly ok: boolean
  /** Hashed with earlier parameters: hash it again now that the password is available. */
  readonly stale: boolean
}

export class Passwords extends Context.Service<Passwords, {
  /** A PHC string. 503 when the queue is full. */
  readonly hash: (password: string) => Effect.Effect<string, Unavailable>
  /** Compares in constant time. Without a stored hash (unknown address) it does the same work and fails. */
  readonly verify: (password: string, stored: string | undefined) => Effect.Effect<Verdict, Unavailable>
}>()("@countersign/hub/auth/Passwords") {
  static readonly layerWith = (parameters: Argon2Parameters) =>
    Layer.effect(
      Passwords,
      Effect.gen(function*() {
        const turns = yield* Semaphore.make(atOnce)
        let waiting = 0
        // A native hash cannot be canceled: it keeps its slot until it is done, also after the client disconnected.
        const inTurn = <A>(work: Effect.Effect<A>): Effect.Effect<A, Unavailable> =>
          Effect.suspend(() => {
            if (waiting >= waitingMax) {
              return Effect.fail(unavailable("Too many sign-ins at the moment. Try again shortly."))
            }
            waiting++
            return Effect.ensuring(turns.withPermit(Effect.uninterruptible(work)), Effect.sync(() => void waiting--))
          })
        const fresh = (password: string, salt: Buffer) =>
          Effect.map(derive(password, parameters, salt, tagBytes), (tag): Phc => ({ parameters, salt, tag }))
        return Passwords.of({
          hash: (password) =>
            inTurn(Effect.map(Effect.suspend(() => fresh(password, randomBytes(saltBytes))), printPhc)),
          verify: (password, stored) => {
            const phc = stored === undefined ? undefined : parsePhc(stored)
            if (phc === undefined) {
              return inTurn(Effect.as(
                Effect.suspend(() => fresh(password, randomBytes(saltBytes))),
                { ok: false, stale: false }
              ))
            }
            const { memoryKib, passes, lanes } = phc.parameters
            return inTurn(Effect.map(derive(password, phc.parameters, phc.salt, phc.tag.length), (tag) => {
              const ok = timingSafeEqual(tag, phc.tag)
              return {
                ok,
                stale: ok &&
                  (memoryKib !== parameters.memoryKib || passes !== parameters.passes || lanes !== parameters.lanes)
              }
            }))
          }
        })
      })
    )
  static readonly layer = Passwords.layerWith(argon2Parameters)
}
