/** Runs with the present status of their requests. */
import type { OrgId } from "@countersign/domain/ids"
import type { ScheduleRun } from "@countersign/domain/scheduled-tasks"
import { Effect } from "effect"
import { RequestsRepository } from "../dispatch/requests/repository.ts"
import type { FiringRow } from "../firings/repository.ts"
import { toScheduleRun } from "./view.ts"

export interface RunViews {
  readonly one: (org: OrgId, row: FiringRow) => Effect.Effect<ScheduleRun>
  readonly all: (org: OrgId, rows: ReadonlyArray<FiringRow>) => Effect.Effect<ReadonlyArray<ScheduleRun>>
  readonly ofEach: (
    org: OrgId,
    rows: ReadonlyMap<string, FiringRow>
  ) => Effect.Effect<ReadonlyMap<string, ScheduleRun>>
}

export const makeRunViews = Effect.map(RequestsRepository, (requests): RunViews => {
  const all = Effect.fnUntraced(function*(org: OrgId, rows: ReadonlyArray<FiringRow>) {
    const open = rows.flatMap(({ outcome, request_id }) => outcome !== null || request_id === null ? [] : [request_id])
    const found = open.length === 0 ? [] : yield* requests.findMany(org, open)
    const statuses = new Map(found.map(({ id, status }) => [id, status]))
    return rows.map((row) => toScheduleRun(row, row.request_id === null ? undefined : statuses.get(row.request_id)))
  })
  return {
    all,
    one: (org, row) => Effect.map(all(org, [row]), ([run]) => run!),
    ofEach: (org, rows) =>
      Effect.map(all(org, [...rows.values()]), (runs) => new Map([...rows.keys()].map((key, at) => [key, runs[at]!])))
  }
})
