/** `secret-round-trip.ts write|read|remove`: accesses the real keychain as one start of the app does. */
import { SecretStore } from "@countersign/desktop/main/secrets/secret-store"
import { Effect, Option } from "effect"

const account = "session:round-trip"

const program = Effect.gen(function*() {
  const secrets = yield* SecretStore
  const done = process.argv[2] === "write"
    ? yield* Effect.as(secrets.write(account, "value of a test"), {})
    : process.argv[2] === "remove"
    ? yield* Effect.as(secrets.remove(account), {})
    : { found: Option.getOrNull(yield* secrets.read(account)) }
  console.log(JSON.stringify({ place: (yield* secrets.place).kind, ...done }))
})

await Effect.runPromise(Effect.provide(program, SecretStore.layerOf(async () => (await import("keytar")).default)))
