/** `hub migrate`: brings the database to this version, as a start does. */
import { Effect, Layer } from "effect"
import { contract } from "../platform/contract-migrations.ts"
import { migrate } from "../platform/migrations.ts"
import { databaseLayer, settingsLayer } from "./database.ts"
import { print } from "./output.ts"

export const run = Effect.gen(function*() {
  const made = yield* migrate
  const names = made.map(([id, name]) => `${String(id).padStart(4, "0")} ${name}`)
  const { ran, waits } = yield* contract()
  const all = [...names, ...ran.map((name) => `contract ${name}`)]
  yield* print(all.length === 0 ? "The database is up to date." : all.join("\n"))
  if (waits !== undefined) {
    const versions = waits.versions.map((version) => version ?? "unknown").join(", ")
    yield* print(`contract ${waits.name} waits for the end of older hubs (${versions}); a running hub repeats it.`)
  }
}).pipe(Effect.provide(databaseLayer.pipe(Layer.provideMerge(settingsLayer))))
