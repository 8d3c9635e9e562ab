/**
 * Saves the states of runs in batches. Saves with audit entries take the workspace's lock, so they gather apart. Spec:
 * reference/workflows.md "Ownership".
 */
import { newId } from "@countersign/domain/ids"
import { awaited, nextDue, onlyWaits, type PastAttempt, type RunState } from "@countersign/domain/run-state"
import { isRunEnded } from "@countersign/domain/workflow-runs"
import type { Effect } from "effect"
import { entryDataText } from "../platform/audit-entry-data.ts"
import { actorLine, hubActor } from "../platform/audit-log.ts"
import { type Entry, groupCommit, type GroupOptions, lockedGroupCommit } from "./group-commit.ts"
import type { RunRecord } from "./records.ts"
import type { RunsRepository, SaveBatch, SavedRow } from "./repository.ts"

/** A run whose next timer is nearer than this stays with its owner. */
export const keptMillis = 5_000

/** A state to save, with the one that was saved before. */
export interface Save {
  readonly run: RunRecord
  readonly epoch: number
  /** The revision after this save. */
  readonly rev: number
  readonly before: RunState
  readonly state: RunState
  readonly past: ReadonlyArray<PastAttempt>
  /** Flags that this state takes into account. */
  readonly seen: number
  /** No effect of this run is under way in this process. */
  readonly idle: boolean
  readonly now: number
}

export const runCost = (state: RunState): number =>
  Object.values(state.steps).reduce((sum, { cost_cents }) => sum + cost_cents, 0)

/** Nothing of the run is left to do. */
const isDone = ({ late, status }: RunState): boolean => isRunEnded(status) && late.length === 0

export const mayRelease = (state: RunState, idle: boolean, now: number): boolean => {
  if (!idle || !onlyWaits(state)) return false
  const due = nextDue(state)
  return due === undefined || due > now + keptMillis
}

const audited = ({ before, state }: Save): boolean => isRunEnded(state.status) && !isRunEnded(before.status)

/** Collects long texts, which a batch sends beside its JSON; gives their places. */
export const textsOf = () => {
  const texts: Array<string> = []
  return {
    texts,
    text: (value: unknown): number | null => value === undefined ? null : texts.push(JSON.stringify(value))
  }
}

const time = (millis: number | undefined) => millis ?? null

/** The rows of the steps that a save changes. */
export const stepRows = (
  { before, rev, run, state }: Pick<Save, "before" | "rev" | "state"> & { readonly run: Pick<RunRecord, "id" | "org"> },
  text: (value: unknown) => number | null
) =>
  Object.entries(state.steps).filter(([label, step]) => before.steps[label] !== step).map(([label, step]) => ({
    org_id: run.org,
    run_id: run.id,
    label,
    rev,
    status: step.status,
    attempt: step.attempt,
    tries: step.tries,
    phase: step.phase ?? null,
    ref: step.ref ?? null,
    due_at: time(step.due_at),
    timeout_at: time(step.timeout_at),
    stopping: step.stopping ?? null,
    left_open: step.left_open === true,
    cost_cents: step.cost_cents,
    input: text(step.input),
    output: text(step.output),
    error: text(step.error),
    started_at: time(step.started_at),
    ended_at: time(step.ended_at)
  }))

const batchOf = (saves: ReadonlyArray<Save>): SaveBatch => {
  const { text, texts } = textsOf()
  return {
    saves: {
      runs: saves.map(({ epoch, idle, now, rev, run, seen, state }) => ({
        run_id: run.id,
        org_id: run.org,
        epoch,
        rev,
        seen,
        release: mayRelease(state, idle, now),
        done: isDone(state),
        due_at: time(nextDue(state)),
        waits: awaited(state),
        status: state.status,
        ending: state.ending ?? null,
        cost_cents: runCost(state),
        output: text(state.output),
        error: text(state.error),
        late: state.late.length === 0 ? null : text(state.late),
        deadline_at: state.deadline_at,
        ended_at: time(state.ended_at)
      })),
      steps: saves.flatMap((save) => stepRows(save, text)),
      past: saves.flatMap(({ past, run }) =>
        past.map((attempt) => ({
          org_id: run.org,
          run_id: run.id,
          label: attempt.label,
          attempt: attempt.attempt,
          status: attempt.status,
          ref: attempt.ref ?? null,
          error: text(attempt.error),
          started_at: time(attempt.started_at),
          ended_at: time(attempt.ended_at)
        }))
      ),
      entries: saves.filter(audited).map(({ run, state }) => endEntry(run, state))
    },
    texts
  }
}

const endEntry = (run: RunRecord, state: RunState) => ({
  org_id: run.org,
  run_id: run.id,
  id: newId("aud"),
  action: `run.${state.status}`,
  actor: actorLine(hubActor),
  agent_id: run.agent,
  outcome: state.status,
  cost_cents: runCost(state),
  data: entryDataText({
    workflow_id: run.workflow,
    version_id: run.version,
    mode: run.mode,
    ...(state.error === undefined ? {} : { code: state.error.code, label: state.error.label ?? null })
  })
})

/** `lost`: another owner has the run, and nothing was written. */
export type Saved = { readonly kind: "lost" } | {
  readonly kind: "saved"
  readonly owner: number
  readonly flags: number
  readonly at: number
}

interface Waiting extends Entry {
  readonly save: Save
  readonly resolve: (saved: Saved) => void
}

export interface SavesOptions {
  readonly repository: RunsRepository["Service"]
  readonly run: <A>(effect: Effect.Effect<A>) => Promise<A>
  readonly stopped: () => boolean
}

export const makeSaves = ({ repository, run, stopped }: SavesOptions) => {
  const answer = (entries: ReadonlyArray<Waiting>, rows: ReadonlyArray<SavedRow>): ReadonlyArray<Waiting> => {
    const byRun = new Map(rows.map((row) => [row.run, row]))
    const locked: Array<Waiting> = []
    for (const entry of entries) {
      const row = byRun.get(entry.save.run.id)
      if (row === undefined) entry.resolve({ kind: "lost" })
      else if (row.owner === -1) locked.push(entry)
      else entry.resolve({ kind: "saved", owner: row.owner, flags: row.flags, at: row.at })
    }
    return locked
  }
  const options: GroupOptions<Waiting> = {
    write: async (entries, wait) =>
      answer(entries, await run(repository.save(batchOf(entries.map(({ save }) => save)), wait))),
    mayRepeat: () => !stopped()
  }
  const plain = groupCommit(options)
  const locking = lockedGroupCommit(options)

  return (save: Save): Promise<Saved> =>
    new Promise((resolve, reject) => (audited(save) ? locking : plain)({ org: save.run.org, save, resolve, reject }))
}
