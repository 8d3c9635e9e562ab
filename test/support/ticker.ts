/**
 * A ticker over a test's database with connections that can fail on demand, and begins and settles with defaults for
 * irrelevant fields.
 */
import { newId } from "@countersign/domain/ids"
import type { Begin, Settle } from "@countersign/hub/dispatch/money-core/entries"
import type { Lane } from "@countersign/hub/dispatch/money-core/lanes"
import { openLane } from "@countersign/hub/dispatch/money-core/service"
import { Ticker } from "@countersign/hub/dispatch/money-core/ticker"
import { entryDataText } from "@countersign/hub/platform/audit-entry-data"
import { Database } from "@countersign/hub/platform/db"
import { type Patience, patienceDefault } from "@countersign/hub/platform/patience"
import { Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"

/** A fault of the next tick: its reply is lost after the commit, or the connection is cut before the tick arrives. */
export type Fault = "lost_reply" | "cut"

export interface TickerInTest {
  readonly ticker: Ticker
  /** Consumed in order, one per tick. */
  readonly faults: Array<Fault>
  /** The owner of the holds of begins. */
  owner: number
  /** Whether a single pending entry takes the short path. */
  isShort: boolean
  /** Calls of the short path, by statement and whether it decided the entry or left it to the tick. */
  readonly shortCalls: Map<string, number>
  readonly warnings: Array<string>
  /** Rejects when the core refuses an entry, which may then never be answered. */
  readonly refusal: Promise<never>
  /** Runs after the commit of a tick whose reply is lost, before it is sent again. */
  meanwhile: () => Promise<void>
}

/** The error of a lost connection, as the driver reports it. */
const connectionLost = () =>
  Object.assign(new Error("connection lost"), {
    reason: { _tag: "ConnectionError", cause: new Error("Connection closed") }
  })

/** An owner number for a hub, with a lease of one hour. */
export const makeOwner = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql<{
    num: number
  }>`insert into owners (hub_id, alive_until) values ('test', clock_timestamp() + interval '1 hour') returning num`
    .pipe(
      Effect.map(([row]) => row!.num),
      Effect.orDie
    ))

export const makeTickerWith = Effect.fnUntraced(function*(
  patience: Patience
): Effect.fn.Return<TickerInTest, never, Database | SqlClient.SqlClient | Scope.Scope> {
  const { target } = yield* Database
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const faults: Array<Fault> = []
  const warnings: Array<string> = []
  const shortCalls = new Map<string, number>()
  let refuse: (error: Error) => void
  const refusal = new Promise<never>((_, reject) => void (refuse = reject))
  refusal.catch(() => {})
  const faulty = (lane: Lane): Lane => ({
    close: lane.close,
    run: async (text, parameters) => {
      const fault = faults.shift()
      if (fault === "cut") throw connectionLost()
      const rows = await lane.run(text, parameters)
      const [, statement] = /from (begin_one|settle_one)/.exec(text) ?? []
      if (statement !== undefined) {
        const [row] = rows as ReadonlyArray<{ readonly result_code: number | null }>
        const name = `${statement} ${row?.result_code === null ? "left" : "decided"}`
        shortCalls.set(name, (shortCalls.get(name) ?? 0) + 1)
      }
      if (fault === "lost_reply") {
        await made.meanwhile()
        throw connectionLost()
      }
      return rows
    }
  })
  const made = {
    faults,
    warnings,
    refusal,
    owner: yield* makeOwner,
    isShort: true,
    shortCalls,
    meanwhile: () => Promise.resolve()
  }
  const ticker = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Ticker({
          patience,
          openLane: async () => faulty(await run(openLane(target))),
          owner: () => made.owner,
          isShort: () => made.isShort,
          committed: () => {},
          warn: (message, cause) => {
            warnings.push(message)
            if (message.includes("refused")) refuse(new Error(message, { cause }))
          }
        })
    ),
    (ticker) => Effect.promise(() => ticker.close())
  )
  return Object.assign(made, { ticker })
})

export const makeTicker = makeTickerWith(patienceDefault)

export const beginWith = (begin: Partial<Begin> & Pick<Begin, "org" | "agent" | "limits" | "wallet">): Begin => ({
  id: newId("req"),
  agentVersion: 1,
  rulesVersion: 1,
  mode: "live",
  service: "echo",
  operation: "say",
  scope: null,
  key: null,
  hash: "00".repeat(32),
  verdict: "admit",
  ceilingCents: 1,
  check: null,
  payload: "{}",
  reason: null,
  result: null,
  block: null,
  wait: null,
  origin: null,
  script: null,
  granted: null,
  audit: newId("aud"),
  actor: `agent ${begin.agent} Agent`,
  ip: "127.0.0.1",
  data: entryDataText({ service: "echo" }),
  ...begin
})

export const settleWith = (settle: Partial<Settle> & Pick<Settle, "id" | "org">): Settle => ({
  status: "executed",
  cents: 1,
  micro: 0,
  reason: null,
  result: "{}",
  ref: null,
  dueMillis: null,
  deadlineMillis: null,
  audit: newId("aud"),
  move: newId("led"),
  actor: "hub hub Countersign",
  data: entryDataText(),
  ...settle
})
