/**
 * An entry that is pending alone takes the short path of the money core. It writes the rows that a batch of one writes:
 * the same random steps run twice, by the short path and by batches alone, and every table is compared. `MONEY_SEED`
 * runs one seed again.
 */
import { AuditRepository } from "@countersign/hub/audit/repository"
import { AuditTrail } from "@countersign/hub/audit/trail"
import { Doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../../support/pg.ts"
import { makeTicker } from "../../../support/ticker.ts"
import { runSteps } from "./money-scenario.ts"
import { type Step, stepsOf } from "./money-steps.ts"

const Live = Doctor.layer.pipe(
  Layer.provide(Layer.mergeAll(DoctorRepository.layer, AuditTrail.layer.pipe(Layer.provide(AuditRepository.layer)))),
  Layer.provideMerge(PgTest)
)

const seed = Number(process.env["MONEY_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const stepsPerRun = 400

const tables = [
  "org_heads",
  "limits",
  "requests",
  "holds",
  "settlements",
  "movements",
  "audit",
  "usage_days",
  "accruals",
  "approvals",
  "approval_decisions",
  "idempotency_keys"
]

/** Ids and hashes of ids differ between two runs; the doctor proves the hashes. */
const hashed = new Set(["head", "hash", "prev_hash"])
const idPattern = /\b(?:org|agt|usr|req|apr|aud|led|sta)_[0-9a-z]{26}/g

/** All rows, with each id replaced by its rank among the ids of its kind: ids are created in rising order. */
const rowsOf = Effect.fnUntraced(function*(firstOwner: number) {
  const sql = yield* SqlClient.SqlClient
  const dumped = yield* Effect.forEach(
    tables,
    (table) => sql.unsafe<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t`)
  )
  const texts = dumped.map((rows) => rows.map(({ row }) => row))
  const ids = new Map<string, Array<string>>()
  for (const id of new Set(texts.flat().flatMap((text) => text.match(idPattern) ?? []))) {
    const kind = id.slice(0, id.indexOf("_"))
    ids.set(kind, [...(ids.get(kind) ?? []), id])
  }
  const names = new Map([...ids].flatMap(([kind, all]) => all.sort().map((id, at) => [id, `${kind} ${at}`] as const)))
  const plain = (text: string) =>
    JSON.stringify(
      JSON.parse(text.replace(idPattern, (id) => names.get(id)!)),
      (key, value: unknown) =>
        hashed.has(key) ? undefined : key === "owner" && value !== 0 ? Number(value) - firstOwner : value
    )
  return Object.fromEntries(tables.map((table, at) => [table, texts[at]!.map(plain).sort()]))
})

layer(Live, { excludeTestServices: true })("the short path", (it) => {
  it.effect(
    `writes the rows that a batch of one writes, over ${stepsPerRun} random steps (seed ${seed})`,
    () =>
      Effect.gen(function*() {
        const runOnce = Effect.fnUntraced(function*(steps: ReadonlyArray<Step>, isShort: boolean) {
          const ticked = yield* makeTicker
          const firstOwner = ticked.owner
          yield* runSteps(ticked, steps, { isShort })
          return { rows: yield* rowsOf(firstOwner), calls: ticked.shortCalls }
        }, Effect.scoped)
        const steps = stepsOf(seed, stepsPerRun, 0.6)
        const short = yield* runOnce(steps, true)
        const batched = yield* runOnce(steps, false)
        assert.deepStrictEqual(short.rows, batched.rows)
        assert.isAbove(short.calls.get("begin_one decided") ?? 0, 20)
        assert.isAbove(short.calls.get("settle_one decided") ?? 0, 20)
        assert.strictEqual(batched.calls.size, 0)
      })
  )
})
