/** `hub migrate`: brings the database to this version, as a start does. */
import { Effect, Layer } from "effect"
import { migrate } from "../platform/migrations.ts"
import { databaseLayer, settingsLayer } from "./database.ts"
import { print } from "./output.ts"

export const run = Effect.gen(function*() {
  const made = yield* migrate
  const names = made.map(([id, name]) => `${String(id).padStart(4, "0")} ${name}`)
  yield* print(names.length === 0 ? "The database is up to date." : names.join("\n"))
}).pipe(Effect.provide(databaseLayer.pipe(Layer.provideMerge(settingsLayer))))
