import { DueWork } from "@countersign/hub/platform/due-work"
import { Readiness } from "@countersign/hub/platform/readiness"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PgTest } from "../../support/pg.ts"

const waitFor = (...queries: ReadonlyArray<string>) => Effect.flatMap(DueWork, ({ wait }) => wait(...queries))
const withDueWork = Effect.provide(DueWork.layer.pipe(Layer.provide(Readiness.layerOf("serving"))))

layer(PgTest, { excludeTestServices: true })("due work", (it) => {
  it.effect("wakes only the worker whose query has a row", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table first_queue (id int)`
      yield* sql`create table second_queue (id int)`
      const idle = yield* Effect.forkChild(waitFor("select from first_queue"))
      const busy = yield* Effect.forkChild(waitFor("select from first_queue where id = 2", "select from second_queue"))
      yield* sql`insert into second_queue values (1)`
      yield* Fiber.join(busy)
      assert.isUndefined(idle.pollUnsafe())
      yield* sql`insert into first_queue values (1)`
      yield* Fiber.join(idle)
    }).pipe(withDueWork))

  it.effect("wakes each worker when the statement fails", () =>
    Effect.gen(function*() {
      const idle = yield* Effect.forkChild(waitFor("select where false"))
      yield* waitFor("select from missing_queue")
      yield* Fiber.join(idle)
    }).pipe(withDueWork))
})

layer(PgTest)("due work under a test's clock", (it) => {
  it.effect("runs a worker without due work after 10 seconds", () =>
    Effect.gen(function*() {
      const idle = yield* Effect.forkChild(waitFor("select where false"))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(idle.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(idle)
    }).pipe(withDueWork))
})
