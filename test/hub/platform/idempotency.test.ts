import { invalidRequest } from "@countersign/domain/errors"
import { type Call, Idempotency, idempotencyScope } from "@countersign/hub/platform/idempotency"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"
import { asAgent, asUser } from "../../support/principals.ts"
import { fund, makeWorkspace, type Workspace } from "../../support/tick.ts"

const Answer = Schema.Struct({ n: Schema.Int, text: Schema.String })

/** Two hubs of one database, each with its own memory. */
const twoHubs = (waitMillis = 30_000) =>
  Effect.gen(function*() {
    const [one, two] = [
      yield* Layer.build(Layer.fresh(Idempotency.layerOf({ waitMillis }))),
      yield* Layer.build(Layer.fresh(Idempotency.layerOf({ waitMillis })))
    ]
    return [Effect.provide(Idempotency, one), Effect.provide(Idempotency, two)] as const
  }).pipe(Effect.flatMap(([one, two]) => Effect.all([one, two])))

const request = (key: string | undefined, path = "/api/v1/balance/top-up") =>
  HttpServerRequest.fromWeb(
    new Request(`http://hub.test${path}`, {
      method: "POST",
      headers: key === undefined ? {} : { "idempotency-key": key }
    })
  )

const textOf = (response: HttpServerResponse.HttpServerResponse) =>
  new TextDecoder().decode((response.body as { body: Uint8Array }).body)

const call = (workspace: Workspace, input: unknown = { amount_cents: 5 }): Call<typeof Answer.Type> => ({
  principal: asUser(workspace.org, workspace.owner),
  input,
  answer: Answer,
  status: 201,
  location: ({ n }) => `/things/${n}`
})

const post = <E, R>(
  idempotency: Idempotency["Service"],
  key: string | undefined,
  made: Call<typeof Answer.Type>,
  effect: Effect.Effect<typeof Answer.Type, E, R>,
  path?: string
) => idempotency.once(made, effect).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request(key, path)))

const funded = (workspace: Workspace) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ cap: number }>`select cap from limits where id = ${BigInt(workspace.wallet)}::int8`
    return rows[0]!.cap
  })

/** Moves 5 cents and returns the total. */
const move = (workspace: Workspace) =>
  Effect.gen(function*() {
    yield* Effect.orDie(fund(workspace, 5))
    return { n: yield* Effect.orDie(funded(workspace)), text: "ünïcødé" }
  })

layer(PgTest, { excludeTestServices: true })("idempotency keys", (it) => {
  it.effect("a repeated call moves nothing and gets the same bytes", () =>
    Effect.gen(function*() {
      const [one, two] = yield* twoHubs()
      const workspace = yield* makeWorkspace()
      const first = yield* post(one, "k1", call(workspace), move(workspace))
      const again = yield* post(one, "k1", call(workspace), move(workspace))
      const elsewhere = yield* post(two, "k1", call(workspace, JSON.parse("{\"amount_cents\":5.0}")), move(workspace))
      assert.strictEqual(yield* funded(workspace), 5)
      assert.deepStrictEqual([first.status, first.headers["location"], first.headers["idempotent-replayed"]], [
        201,
        "/things/5",
        undefined
      ])
      for (const replay of [again, elsewhere]) {
        assert.deepStrictEqual([replay.status, replay.headers["location"], replay.headers["idempotent-replayed"]], [
          201,
          "/things/5",
          "true"
        ])
        assert.strictEqual(textOf(replay), textOf(first))
      }
    }))

  it.effect("the same key with another payload is a conflict and moves nothing", () =>
    Effect.gen(function*() {
      const [one] = yield* twoHubs()
      const workspace = yield* makeWorkspace()
      yield* post(one, "k1", call(workspace), move(workspace))
      const error = yield* Effect.flip(post(one, "k1", call(workspace, { amount_cents: 6 }), move(workspace)))
      assert.strictEqual(error._tag === "Conflict" && error.error.code, "idempotency_conflict")
      assert.strictEqual(yield* funded(workspace), 5)
    }))

  it.effect("keys of other people, agents, modes, addresses, and workspaces are separate", () =>
    Effect.gen(function*() {
      const [one] = yield* twoHubs()
      const workspace = yield* makeWorkspace()
      const other = yield* makeWorkspace()
      yield* post(one, "k1", call(workspace), move(workspace))
      yield* post(one, "k1", { ...call(workspace), principal: asUser(workspace.org, other.owner) }, move(workspace))
      yield* post(
        one,
        "k1",
        { ...call(workspace), principal: asAgent(workspace.org, workspace.agent.id, "live") },
        move(workspace)
      )
      yield* post(
        one,
        "k1",
        { ...call(workspace), principal: asAgent(workspace.org, workspace.agent.id, "test") },
        move(workspace)
      )
      yield* post(one, "k1", call(workspace), move(workspace), "/api/v1/promo/redeem")
      yield* post(one, "k1", { ...call(workspace), principal: asUser(other.org, workspace.owner) }, move(workspace))
      assert.strictEqual(yield* funded(workspace), 30)
      yield* post(one, "k1", call(workspace), move(workspace), "/api/v1/balance/top-up?x=1")
      assert.strictEqual(yield* funded(workspace), 30)
      for (const url of ["/a?b", "http://one.test:1/a", "https://two.test/a?c"]) {
        assert.strictEqual(idempotencyScope(asUser("org_1", "usr_1"), "POST", url), "user usr_1 POST /a")
      }
    }))

  it.effect("of many concurrent calls on two hubs, one moves money and all get the same answer", () =>
    Effect.gen(function*() {
      const hubs = yield* twoHubs()
      const workspace = yield* makeWorkspace()
      const answers = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, at) => at),
        (at) => post(hubs[at % 2]!, "k1", call(workspace), move(workspace)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(yield* funded(workspace), 5)
      assert.strictEqual(new Set(answers.map(textOf)).size, 1)
      assert.strictEqual(
        answers.filter((answer) => answer.headers["idempotent-replayed"] === undefined).length,
        1
      )
    }))

  it.effect("a second call waits for the first, and gives up in time, on the same hub and on another", () =>
    Effect.gen(function*() {
      const hubs = yield* twoHubs(300)
      const workspace = yield* makeWorkspace()
      const [entered, leave] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(post(
        hubs[0],
        "k1",
        call(workspace),
        Effect.gen(function*() {
          yield* Deferred.succeed(entered, undefined)
          yield* Deferred.await(leave)
          return yield* move(workspace)
        })
      ))
      yield* Deferred.await(entered)
      for (const hub of hubs) {
        const error = yield* Effect.flip(post(hub, "k1", call(workspace), move(workspace)))
        assert.strictEqual(error._tag === "Conflict" && error.error.code, "idempotency_in_progress")
        assert.deepStrictEqual(error._tag === "Conflict" && error.error.data, { retry_after_seconds: 1 })
      }
      const waiting = yield* Effect.forkChild(
        Effect.all(hubs.map((hub) => post(hub, "k1", call(workspace), move(workspace))), { concurrency: "unbounded" })
      )
      yield* Deferred.succeed(leave, undefined)
      yield* Fiber.join(first)
      const answers = yield* Fiber.join(waiting)
      assert.deepStrictEqual(answers.map((answer) => answer.headers["idempotent-replayed"]), ["true", "true"])
      assert.strictEqual(yield* funded(workspace), 5)
    }))

  it.effect("a refusal, a defect, and an interruption store no transfer and no key", () =>
    Effect.gen(function*() {
      const [one] = yield* twoHubs()
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      const refused = yield* Effect.exit(
        post(one, "k1", call(workspace), Effect.andThen(move(workspace), Effect.fail(invalidRequest("no"))))
      )
      const broken = yield* Effect.exit(
        post(one, "k1", call(workspace), Effect.andThen(move(workspace), Effect.die("crash")))
      )
      const entered = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(post(
        one,
        "k1",
        call(workspace),
        Effect.gen(function*() {
          yield* move(workspace)
          yield* Deferred.succeed(entered, undefined)
          return yield* Effect.never
        })
      ))
      yield* Deferred.await(entered)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.isFailure(refused) && Exit.isFailure(broken))
      assert.strictEqual(yield* funded(workspace), 0)
      assert.lengthOf(yield* sql`select 1 from idempotency_keys where org_id = ${workspace.org}`, 0)
      assert.strictEqual((yield* post(one, "k1", call(workspace, { amount_cents: 9 }), move(workspace))).status, 201)
      assert.strictEqual(yield* funded(workspace), 5)
    }))

  it.effect("without a key every call counts; an invalid key is refused", () =>
    Effect.gen(function*() {
      const [one] = yield* twoHubs()
      const workspace = yield* makeWorkspace()
      yield* post(one, undefined, call(workspace), move(workspace))
      yield* post(one, undefined, call(workspace), move(workspace))
      assert.strictEqual(yield* funded(workspace), 10)
      for (const key of ["", "x".repeat(256), "tab\there", "ünï"]) {
        const error = yield* Effect.flip(post(one, key, call(workspace), move(workspace)))
        assert.strictEqual(error._tag, "BadRequest", JSON.stringify(key))
      }
      assert.strictEqual((yield* post(one, "x".repeat(255), call(workspace), move(workspace))).status, 201)
      assert.strictEqual(yield* funded(workspace), 15)
    }))

  it.effect("an expired key is free again, and is purged", () =>
    Effect.gen(function*() {
      const [one] = yield* twoHubs()
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace()
      yield* post(one, "k1", call(workspace), move(workspace))
      const [kept] = yield* sql<
        { hours: number }
      >`select (extract(epoch from expires_at - now()) / 3600)::float8 hours from idempotency_keys where org_id = ${workspace.org}`
      assert.isAbove(kept!.hours, 23.9)
      yield* sql`update idempotency_keys set expires_at = now() - interval '1 second' where org_id = ${workspace.org}`
      assert.strictEqual(
        (yield* post(one, "k1", call(workspace, { amount_cents: 6 }), move(workspace))).headers["idempotent-replayed"],
        undefined
      )
      assert.strictEqual(yield* funded(workspace), 10)
      yield* sql`update idempotency_keys set expires_at = now() - interval '1 second' where org_id = ${workspace.org}`
      assert.isAtLeast(yield* one.purge, 1)
      assert.lengthOf(yield* sql`select 1 from idempotency_keys where org_id = ${workspace.org}`, 0)
    }))
})
