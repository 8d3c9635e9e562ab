/** Callbacks that webhook steps wait for. */
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface CallbackRow {
  readonly org_id: OrgId
  readonly run_id: string
  readonly attempt: number
  readonly digest: string | null
  readonly body: string | null
}

export interface ExpectedCallback {
  readonly step: string
  readonly org: OrgId
  readonly run: string
  readonly label: string
  readonly attempt: number
  readonly request: ServiceRequestId
}

export class CallbacksRepository extends Context.Service<CallbacksRepository, {
  /** Before the address is sent, so that an early callback counts. A new attempt forgets the callback of the last one. */
  readonly expect: (expected: ExpectedCallback) => Effect.Effect<void>
  readonly find: (org: OrgId, step: string, attempt: number) => Effect.Effect<Option.Option<CallbackRow>>
  /** By the step's id alone: the address of a callback names no workspace. */
  readonly findStep: (step: string) => Effect.Effect<Option.Option<CallbackRow>>
  /** The digest of the callback that stands: this one's, or an earlier one's. */
  readonly keep: (
    org: OrgId,
    step: string,
    attempt: number,
    digest: string,
    body: string
  ) => Effect.Effect<string | undefined>
  readonly requests: (
    org: OrgId,
    run: string
  ) => Effect.Effect<
    ReadonlyArray<{ readonly label: string; readonly attempt: number; readonly request_id: ServiceRequestId }>
  >
}>()("@countersign/hub/runs/CallbacksRepository") {
  static readonly layer = Layer.effect(
    CallbacksRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`org_id, run_id, attempt, digest, body`
      return CallbacksRepository.of({
        expect: ({ attempt, label, org, request, run, step }) =>
          sql`insert into run_callbacks as c (step_id, org_id, run_id, label, attempt, request_id)
          values (${step}, ${org}, ${run}, ${label}, ${attempt}, ${request})
          on conflict (step_id) do update set attempt = excluded.attempt, request_id = excluded.request_id, digest = null,
            body = null, received_at = null
          where c.attempt < excluded.attempt`.pipe(Effect.asVoid, Effect.orDie),
        find: (org, step, attempt) =>
          sql<CallbackRow>`select ${columns} from run_callbacks
          where org_id = ${org} and step_id = ${step} and attempt = ${attempt}`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        findStep: (step) =>
          sql<CallbackRow>`select ${columns} from run_callbacks where step_id = ${step}`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        keep: (org, step, attempt, digest, body) =>
          sql<{ digest: string }>`update run_callbacks set digest = coalesce(digest, ${digest}),
            body = coalesce(body, ${body}), received_at = coalesce(received_at, hub_time_or_last())
          where org_id = ${org} and step_id = ${step} and attempt = ${attempt} returning digest`.pipe(
            Effect.map(([row]) => row?.digest),
            Effect.orDie
          ),
        requests: (org, run) =>
          sql<
            { label: string; attempt: number; request_id: ServiceRequestId }
          >`select label, attempt, request_id from run_callbacks
          where org_id = ${org} and run_id = ${run}`.pipe(Effect.orDie)
      })
    })
  )
}
