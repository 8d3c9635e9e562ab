import { argon2Parameters, Passwords } from "@countersign/hub/auth/passwords"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"

const password = "correct horse battery"

layer(Passwords.layer, { excludeTestServices: true })("a password", (it) => {
  it.effect("is kept as argon2id at 19 MiB, two passes, one lane, with a salt of its own", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      const [one, two] = [yield* passwords.hash(password), yield* passwords.hash(password)]
      assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
      assert.notStrictEqual(one, two)
      for (const stored of [one, two]) {
        assert.deepStrictEqual(yield* passwords.verify(password, stored), { ok: true, stale: false })
      }
    }))

  it.effect("is told from every other", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      const stored = yield* passwords.hash(password)
      for (const wrong of ["", `${password} `, password.toUpperCase(), password.slice(1), `${password}\u0000`]) {
        assert.deepStrictEqual(yield* passwords.verify(wrong, stored), { ok: false, stale: false }, wrong)
      }
    }))

  it.effect("is one however its accents were typed", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      const stored = yield* passwords.hash("caf\u00e9 au lait noir")
      assert.isTrue((yield* passwords.verify("cafe\u0301 au lait noir", stored)).ok)
    }))

  it.effect("verifies the vector of another implementation, and is stale at its parameters", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      // The reference implementation's own test: password "password", salt "somesalt".
      const stored = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
      assert.deepStrictEqual(yield* passwords.verify("password", stored), { ok: true, stale: true })
      assert.deepStrictEqual(yield* passwords.verify("passwort", stored), { ok: false, stale: false })
    }))

  it.effect("is wrong where none is stored, or what is stored is no hash", () =>
    Effect.gen(function*() {
      const passwords = yield* Passwords
      for (const stored of [undefined, "", "plain", "$2b$12$abc"]) {
        assert.deepStrictEqual(yield* passwords.verify(password, stored), { ok: false, stale: false })
      }
    }))
})

describe("too many passwords at once", () => {
  it.live("are refused when they would wait too long; those who wait are answered", () =>
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

  it.live("a caller who hangs up gives its place back", () =>
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
