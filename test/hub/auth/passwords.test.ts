import { argon2Parameters, Passwords } from "@countersign/hub/auth/passwords"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"

const password = "correct horse battery"

layer(Passwords.layer, { excludeTestServices: true })("a password", (it) => {
  it.effect("is stored as argon2id at 19 MiB, two passes, and one lane, with a separate salt", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      const [one, two] = [yield* passwords.hash(password), yield* passwords.hash(password)]
      assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
      assert.notStrictEqual(one, two)
      for (const stored of [one, two]) {
        assert.deepStrictEqual(yield* passwords.verify(password, stored), { ok: true, stale: false })
      }
    }))

  it.effect("differs from every other", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      const stored = yield* passwords.hash(password)
      for (const wrong of ["", `${password} `, password.toUpperCase(), password.slice(1), `${password}\u0000`]) {
        assert.deepStrictEqual(yield* passwords.verify(wrong, stored), { ok: false, stale: false }, wrong)
      }
    }))

  it.effect("is the same for each way of typing its accents", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      const stored = yield* passwords.hash("caf\u00e9 au lait noir")
      assert.isTrue((yield* passwords.verify("cafe\u0301 au lait noir", stored)).ok)
    }))

  it.effect("verifies the vector of another implementation, and is stale at its parameters", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      // A test vector of the reference implementation: password "password", salt "somesalt".
      const stored = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
      assert.deepStrictEqual(yield* passwords.verify("password", stored), { ok: true, stale: true })
      assert.deepStrictEqual(yield* passwords.verify("passwort", stored), { ok: false, stale: false })
    }))

  it.effect("is wrong if none is stored, or the stored value is not a hash", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      for (const stored of [undefined, "", "plain", "$2b$12$abc"]) {
        assert.deepStrictEqual(yield* passwords.verify(password, stored), { ok: false, stale: false })
      }
    }))
})

describe("too many passwords at once", () => {
  it.live("are refused beyond the queue's limit; queued ones are answered", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      const exits = yield* Effect.forEach(
        Array.from({ length: 80 }, (_, at) => `password number ${at}`),
        (text) => Effect.exit(passwords.hash(text)),
        { concurrency: "unbounded" }
      )
      const refused = exits.filter(Exit.isFailure)
      assert.isAbove(refused.length, 0)
      assert.strictEqual(exits.length - refused.length, 64)
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(passwords.hash(password))))
    }).pipe(Effect.provide(Passwords.layerWith({ ...argon2Parameters, memoryKib: 64, passes: 1 }))))

  it.live("a disconnected caller frees its place in the queue", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      for (let round = 0; round < 70; round++) {
        const fiber = yield* Effect.forkChild(passwords.hash(password))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }
      assert.match(yield* passwords.hash(password), /^\$argon2id/)
    }).pipe(Effect.provide(Passwords.layerWith({ ...argon2Parameters, memoryKib: 64, passes: 1 }))))
})
