/** Steps of the run's agent: `delegation`, `memory_read`, and `memory_write`. */
import { type DelegatedTask, DelegateInput } from "@countersign/domain/delegated-tasks"
import type { OrgId } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import { CreateMemoryInput } from "@countersign/domain/memories"
import { Context, Effect, Layer, Option } from "effect"
import { DelegationsRepository } from "../delegations/repository.ts"
import { DelegatedTasks } from "../delegations/service.ts"
import { AgentMemory } from "../memories/recall.ts"
import { MemoriesRepository } from "../memories/repository.ts"
import { Memories } from "../memories/service.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { BudgetsRepository } from "./budgets-repository.ts"
import {
  type EffectOf,
  type EffectReport,
  ended,
  failed,
  membersOf,
  nothingLeft,
  opened,
  type StepEffect,
  succeeded,
  textOf
} from "./effects.ts"
import { kept } from "./environment.ts"
import { Fence } from "./fence.ts"
import { decodeConfig } from "./input.ts"
import { agentPrincipalOf } from "./principal.ts"

const memoriesDefault = 10

export class RunAgentWork extends Context.Service<RunAgentWork, {
  readonly delegation: StepEffect<"delegation">
  readonly memoryRead: StepEffect<"memory_read">
  readonly memoryWrite: StepEffect<"memory_write">
}>()("@countersign/hub/runs/RunAgentWork") {
  static readonly layer = Layer.effect(
    RunAgentWork,
    Effect.gen(function*() {
      const tasks = yield* DelegatedTasks
      const taskRows = yield* DelegationsRepository
      const memories = yield* Memories
      const memory = yield* AgentMemory
      const memoryRows = yield* MemoriesRepository
      const budgets = yield* BudgetsRepository
      const heads = yield* OrgHeads
      const fence = yield* Fence
      const db = yield* Db

      /** What an ended task spent counts on the run's budgets; the rest of its budget is free again. */
      const release = Effect.fnUntraced(function*(org: OrgId, task: string, spentCents: number) {
        yield* heads.lock(org)
        yield* budgets.release(org, task, spentCents)
      }, db.transaction)

      const taskReport = Effect.fnUntraced(
        function*({ ref, run }: EffectOf): Effect.fn.Return<EffectReport | undefined> {
          const found = yield* taskRows.find(run.org, ref)
          if (Option.isNone(found)) return undefined
          const { error, result, spent_cents: cost, status } = found.value
          if (status === "accepted" || status === "in_progress") return opened
          if (run.limits.length > 0) yield* release(run.org, ref, cost)
          if (status === "completed") {
            return ended({
              kind: "succeeded",
              output: kept(result === null ? null : JSON.parse(result) as Json),
              cost_cents: cost
            })
          }
          const { code, message } = error === null
            ? { code: "task_cancelled", message: "The task was canceled." }
            : JSON.parse(error) as { readonly code: string; readonly message: string }
          return ended({ kind: "failed", error: { code, message }, retryable: false, cost_cents: cost })
        }
      )

      const delegation: StepEffect<"delegation"> = {
        start: Effect.fnUntraced(function*(call) {
          const known = yield* taskReport(call)
          if (known !== undefined) return known
          const { input, ref, run } = call
          const { deadline_seconds: seconds, ...rest } = membersOf(input)
          const config = decodeConfig(DelegateInput, {
            ...rest,
            ...(typeof seconds === "number"
              ? { deadline_at: new Date(Date.now() + seconds * 1_000).toISOString() }
              : {})
          })
          if (config.kind === "invalid") return ended(config.outcome)
          return yield* fence(call, () =>
            Effect.gen(function*() {
              const fits = yield* budgets.commit(run.org, ref, run.limits, config.value.budget_cents)
              if (!fits) {
                return failed("task_budget_exceeded", "The run's max_cost_cents has too little left for this task.")
              }
              yield* tasks.create(agentPrincipalOf(run), run.agent, config.value, ref as DelegatedTask["id"])
              return opened
            })).pipe(Effect.catch((error) => Effect.succeed(failed(error.error.code, error.error.message))))
        }),
        stop: Effect.fnUntraced(function*(call) {
          const { ref, run } = call
          yield* Effect.ignore(tasks.update(agentPrincipalOf(run), run.agent, ref, { status: "cancelled" }))
          const report = yield* taskReport(call)
          return report === undefined || report.kind === "opened" ? nothingLeft : report
        }),
        look: (call) => Effect.map(taskReport(call), (report) => report?.kind === "opened" ? undefined : report)
      }

      const memoryRead: StepEffect<"memory_read"> = {
        start: Effect.fnUntraced(function*({ input, run }) {
          const { limit, q, tag } = membersOf(input)
          if (
            limit !== undefined && (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > 100)
          ) {
            return failed("invalid_input", "config.limit: expected an integer from 1 to 100")
          }
          const text = textOf(q)
          const page = yield* memories.list(agentPrincipalOf(run), run.agent, {
            limit: limit ?? memoriesDefault,
            ...(text === undefined || text === "" ? {} : { q: text }),
            ...(tag === undefined ? {} : { tag: textOf(tag) ?? "" })
          })
          return succeeded(kept({ memories: page.data as unknown as Json }))
        }, Effect.catch((error) => Effect.succeed(failed(error.error.code, error.error.message)))),
        stop: () => Effect.succeed(nothingLeft),
        look: () => Effect.succeed(undefined)
      }

      const memoryWrite: StepEffect<"memory_write"> = {
        start: Effect.fnUntraced(function*(call) {
          const { input, ref, run } = call
          const known = yield* memoryRows.find(run.org, run.agent, ref)
          if (Option.isSome(known)) return succeeded({ id: ref })
          const { content, importance, kind, ...rest } = membersOf(input)
          const config = decodeConfig(CreateMemoryInput, {
            content: textOf(content),
            kind: kind ?? "fact",
            ...(importance === undefined ? {} : { importance }),
            ...rest
          })
          if (config.kind === "invalid") return ended(config.outcome)
          const prepared = yield* memory.prepare(config.value)
          return yield* fence(
            call,
            (at) =>
              memory.insert(run.org, run.agent, { type: "agent", id: run.agent, name: run.agentName }, {
                ...prepared,
                id: ref,
                source: { type: "workflow_run", id: run.id }
              }, at)
          ).pipe(
            Effect.map((stored) => succeeded({ id: stored.id })),
            Effect.catch((error) => Effect.succeed(failed(error.error.code, error.error.message)))
          )
        }),
        stop: () => Effect.succeed(nothingLeft),
        look: () => Effect.succeed(undefined)
      }

      return RunAgentWork.of({ delegation, memoryRead, memoryWrite })
    })
  )
}
