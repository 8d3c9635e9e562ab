/** Runs for people and agents: start, read, cancel, repeat. Spec: reference/workflows.md "Runs". */
import type { AgentPrincipal, Principal, UserPrincipal } from "@countersign/domain/auth"
import { answered } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, conflict, gone, invalidField, invalidRequest, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { removedText } from "@countersign/domain/retention"
import { hasUnknownFate, repeated, type RunEvent } from "@countersign/domain/run-state"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { dayMillis } from "@countersign/domain/time"
import { runDaysDefault, type RunStatus } from "@countersign/domain/workflow-definition"
import {
  type EstimateRunInput,
  isRunEnded,
  type RepeatInput,
  type Run,
  type RunEstimate,
  type RunSummary,
  type StartRunInput
} from "@countersign/domain/workflow-runs"
import { Context, Effect, Layer, Option } from "effect"
import { Liveness } from "../auth/liveness.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { needs } from "../edge/access.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Owner } from "../platform/owner.ts"
import { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import { maySeeWorkflow } from "../workflows/rules.ts"
import { childOf } from "./calls.ts"
import { RunEngine } from "./engine.ts"
import { RunEstimates } from "./estimates.ts"
import { RunListRepository } from "./list-repository.ts"
import { RunReads } from "./reads.ts"
import { endSignalOf, runFlags, type RunRow, toState } from "./records.ts"
import { RunsRepository } from "./repository.ts"
import { scopeOf } from "./rules.ts"
import { inputProblems, RunStarting } from "./starting.ts"
import { Versions } from "./versions.ts"
import { RunViews, toSummary } from "./views.ts"
import { type RunnableWorkflow, RunnableWorkflows } from "./workflows-repository.ts"

const runIdPattern = idPattern("run")

export interface RunQuery extends PageQuery {
  readonly workflow_id?: string
  readonly parent_run_id?: string
  readonly agent_id?: AgentId
  readonly status?: RunStatus
  readonly mode?: "live" | "test"
}

export class WorkflowRuns extends Context.Service<WorkflowRuns, {
  /** Starts a run for a person. Returns its id. */
  readonly start: (user: UserPrincipal, workflow: string, input: StartRunInput) => Effect.Effect<string, ApiError>
  /** Starts a run by the dispatch of `workflow.run_workflow`. 409 `run_refused` unless it runs or has run. */
  readonly dispatch: (
    agent: AgentPrincipal,
    workflow: string,
    input: StartRunInput,
    key: string | undefined
  ) => Effect.Effect<{ readonly run: string; readonly replayed: boolean }, ApiError>
  readonly estimate: (
    principal: Principal,
    workflow: string,
    input: EstimateRunInput
  ) => Effect.Effect<RunEstimate, ApiError>
  readonly list: (principal: Principal, query: RunQuery) => Effect.Effect<PageOf<RunSummary>, ApiError>
  /** Waits up to `waitSeconds` for the end of the run. */
  readonly get: (principal: Principal, id: string, waitSeconds?: number) => Effect.Effect<Run, ApiError>
  /** The run with the steps that changed after a revision; undefined when nothing did. */
  readonly changes: (principal: Principal, id: string, after: number) => Effect.Effect<Run | undefined, ApiError>
  readonly cancel: (user: UserPrincipal, id: string) => Effect.Effect<Run, ApiError>
  readonly repeat: (
    user: UserPrincipal,
    id: string,
    label: string | undefined,
    input: RepeatInput
  ) => Effect.Effect<Run, ApiError>
}>()("@countersign/hub/runs/WorkflowRuns") {
  static readonly layer = Layer.effect(
    WorkflowRuns,
    Effect.gen(function*() {
      const repository = yield* RunsRepository
      const lists = yield* RunListRepository
      const reads = yield* RunReads
      const workflows = yield* RunnableWorkflows
      const starting = yield* RunStarting
      const versions = yield* Versions
      const estimates = yield* RunEstimates
      const views = yield* RunViews
      const engine = yield* RunEngine
      const dispatch = yield* Dispatch
      const liveness = yield* Liveness
      const signals = yield* Signals
      const heads = yield* OrgHeads
      const owner = yield* Owner
      const audit = yield* AuditLog
      const db = yield* Db

      const workflowOf = Effect.fnUntraced(function*(principal: Principal, id: string) {
        const found = yield* reads.workflow(principal.org_id, id)
        const sees = Option.isSome(found) && (principal.kind === "user"
          ? maySeeWorkflow(principal, found.value)
          : found.value.granted.some((agent) => agent.id === principal.agent_id))
        return sees ? found.value : yield* Effect.fail(notFound("workflow"))
      })

      /** The version to run: the live one, or for people another one, in test mode or with workflows:write. */
      const versionOf = Effect.fnUntraced(function*(
        user: UserPrincipal,
        workflow: RunnableWorkflow,
        input: Pick<StartRunInput, "mode" | "version_id">
      ) {
        const version = input.version_id ?? workflow.live_version_id
        if (version === null) {
          return yield* Effect.fail(
            conflict("conflict", "The workflow has no live version. Publish one, or send version_id to test another.")
          )
        }
        if (version !== workflow.live_version_id) {
          if (!(yield* workflows.hasVersion(user.org_id, workflow.id, version))) {
            return yield* Effect.fail(invalidField("version_id", "the workflow has no such version"))
          }
          if (input.mode !== "test") yield* needs(user, "workflows:write")
        }
        return version
      })

      const agentOf = Effect.fnUntraced(function*({ granted }: RunnableWorkflow, id: string | undefined) {
        if (id === undefined) {
          const [only] = granted
          return only !== undefined && granted.length === 1
            ? only
            : yield* Effect.fail(
              invalidField(
                "agent_id",
                granted.length === 0
                  ? "the workflow is granted to no agent; grant it to one first"
                  : "name one of the agents that the workflow is granted to"
              )
            )
        }
        return granted.find((agent) => agent.id === id) ??
          (yield* Effect.fail(invalidField("agent_id", "the workflow is not granted to this agent")))
      })

      const rowOf = Effect.fnUntraced(function*(principal: Principal, id: string) {
        const found = yield* reads.run(principal.org_id, id)
        if (Option.isNone(found)) return yield* Effect.fail(notFound("workflow run"))
        const row = found.value
        const sees = principal.kind === "agent"
          ? row.agent_id === principal.agent_id && row.mode === principal.mode
          : maySeeWorkflow(principal, row)
        return sees ? row : yield* Effect.fail(notFound("workflow run"))
      })

      const start: WorkflowRuns["Service"]["start"] = Effect.fn("WorkflowRuns.start")(function*(user, id, input) {
        const workflow = yield* workflowOf(user, id)
        const version = yield* versionOf(user, workflow, input)
        const agent = yield* agentOf(workflow, input.agent_id)
        return yield* starting.start({
          org: user.org_id,
          id: newId("run"),
          workflow,
          version,
          agent,
          mode: input.mode ?? "live",
          input: input.input ?? {},
          actor: actorOf(user),
          maxCostCents: input.max_cost_cents,
          parent: undefined,
          depth: 0,
          request: null
        })
      })

      const dispatchRun: WorkflowRuns["Service"]["dispatch"] = Effect.fn("WorkflowRuns.dispatch")(
        function*(agent, id, input, key) {
          const workflow = yield* workflowOf(agent, id)
          if (input.agent_id !== undefined && input.agent_id !== agent.agent_id) {
            return yield* Effect.fail(invalidField("agent_id", "an agent starts runs as itself only"))
          }
          if (input.mode !== undefined && input.mode !== agent.mode) {
            return yield* Effect.fail(invalidField("mode", "the mode of a run is that of the agent's key"))
          }
          if (input.version_id !== undefined && input.version_id !== workflow.live_version_id) {
            return yield* Effect.fail(invalidField("version_id", "agents run the live version"))
          }
          const version = workflow.live_version_id === null
            ? undefined
            : yield* versions.find(agent.org_id, workflow.live_version_id)
          const problems = version === undefined ? [] : inputProblems(version, input.input ?? {})
          if (problems.length > 0) {
            return yield* Effect.fail(invalidRequest(problemsSentence("The input", problems), problems))
          }
          const { facts, replayed } = yield* answered(dispatch.submit({
            mode: agent.mode,
            org: agent.org_id,
            agent: agent.agent_id,
            keyId: agent.key_id,
            keyVersion: agent.agent_version,
            actor: actorOf(agent),
            service: "workflow",
            operation: "run_workflow",
            payload: {
              workflow_id: id,
              ...(input.input === undefined ? {} : { input: input.input }),
              ...(input.max_cost_cents === undefined ? {} : { max_cost_cents: input.max_cost_cents })
            },
            ...(key === undefined ? {} : { key })
          }))
          const run = childOf(facts.id)
          const started = yield* repository.find(agent.org_id, run)
          if (Option.isSome(started)) return { run, replayed }
          return yield* Effect.fail(
            conflict("run_refused", "The run was not started. data names the service request and the reason.", {
              service_request_id: facts.id,
              status: facts.status,
              ...(facts.reason_code === null ? {} : { reason_code: facts.reason_code }),
              ...(facts.approval_id === null ? {} : { approval_id: facts.approval_id }),
              ...(facts.block === null ? {} : { block: JSON.parse(facts.block) as Json }),
              ...(facts.status === "failed" && facts.result !== null
                ? { result: JSON.parse(facts.result) as Json }
                : {})
            })
          )
        }
      )

      const get: WorkflowRuns["Service"]["get"] = Effect.fn("WorkflowRuns.get")(
        function*(principal, id, waitSeconds = 0) {
          const read = rowOf(principal, id)
          const row = waitSeconds === 0 ? yield* read : yield* liveness.whileAllowed(
            principal,
            awaitSignal(signals, endSignalOf(id), waitSeconds * 1_000, read, ({ status }) => isRunEnded(status), {
              isPending: () => engine.drives(id)
            })
          )
          return yield* views.run(row, principal)
        }
      )

      /** The state of an ended run that may be repeated. */
      const repeatable = Effect.fnUntraced(function*(row: RunRow, label: string | undefined, input: RepeatInput) {
        if (!isRunEnded(row.status)) {
          return yield* Effect.fail(
            conflict("run_active", `The run is ${row.status}. Cancel it, or wait for its end.`, { status: row.status })
          )
        }
        if (row.input === removedText) {
          return yield* Effect.fail(gone("The values of this run were removed after the workspace's retention."))
        }
        const version = yield* versions.find(row.org_id, row.version_id)
        if (version === undefined) return yield* Effect.die(`no version ${row.version_id}`)
        if (label !== undefined && !version.plan.steps.has(label)) return yield* Effect.fail(notFound("step"))
        const state = toState(row, yield* repository.steps(row.org_id, row.id))
        const labels = repeated(version.plan, state, label)
        if (labels.size === 0 || row.status === "succeeded") {
          return yield* Effect.fail(
            conflict(
              "conflict",
              label === undefined
                ? "No step of this run failed or was canceled."
                : "This step has not failed and was not canceled.",
              { status: row.status }
            )
          )
        }
        if (input.accept_unknown_fate !== true && hasUnknownFate(state, labels)) {
          return yield* Effect.fail(
            conflict(
              "fate_unknown",
              "The provider of a step may have acted. Check with the provider, or send accept_unknown_fate: true to risk paying twice."
            )
          )
        }
        return version
      })

      const repeat: WorkflowRuns["Service"]["repeat"] = Effect.fn("WorkflowRuns.repeat")(
        function*(user, id, label, input) {
          const row = yield* rowOf(user, id)
          yield* repeatable(row, label, input)
          const org = user.org_id
          const claimed = yield* db.transaction(Effect.gen(function*() {
            const at = yield* heads.lock(org)
            const now = yield* rowOf(user, id)
            const version = yield* repeatable(now, label, input)
            const claimed = yield* repository.claimEnded(org, id, owner.num())
            if (claimed === undefined) {
              return yield* Effect.fail(
                conflict("run_active", "The run is already being repeated.", { status: now.status })
              )
            }
            yield* audit.record(org, actorOf(user), {
              action: "run.repeated",
              subject: { type: "workflow_run", id },
              agent_id: now.agent_id,
              data: {
                ...(label === undefined ? {} : { label }),
                accept_unknown_fate: input.accept_unknown_fate === true
              }
            })
            return { claimed, version, at }
          }))
          const owned = yield* repository.load(claimed.claimed)
          if (Option.isNone(owned)) {
            return yield* Effect.fail(conflict("run_active", "The run is already being repeated."))
          }
          const event: RunEvent = {
            kind: "repeat",
            ...(label === undefined ? {} : { label }),
            deadline_at: claimed.at.getTime() + runDaysDefault * dayMillis
          }
          yield* Effect.promise(() => engine.repeat(owned.value, claimed.version, event))
          return yield* get(user, id)
        }
      )

      return WorkflowRuns.of({
        start,
        dispatch: dispatchRun,
        estimate: Effect.fn("WorkflowRuns.estimate")(function*(principal, id, input) {
          const workflow = yield* workflowOf(principal, id)
          const version = principal.kind === "user"
            ? yield* versionOf(principal, workflow, input)
            : workflow.live_version_id
          if (version === null) return yield* Effect.fail(conflict("conflict", "The workflow has no live version."))
          const agent = principal.kind === "user"
            ? yield* agentOf(workflow, input.agent_id)
            : { id: principal.agent_id, name: principal.agent_name }
          const compiled = yield* versions.find(principal.org_id, version)
          if (compiled === undefined) return yield* Effect.die(`no version ${version}`)
          const problems = inputProblems(compiled, input.input ?? {})
          if (problems.length > 0) {
            return yield* Effect.fail(invalidRequest(problemsSentence("The input", problems), problems))
          }
          const mode = principal.kind === "agent" ? principal.mode : input.mode ?? "live"
          return yield* estimates.estimate({
            org: principal.org_id,
            agent,
            mode,
            version: compiled,
            input: input.input ?? {}
          })
        }),
        list: Effect.fn("WorkflowRuns.list")(function*(principal, query) {
          const org = principal.org_id
          if (query.workflow_id !== undefined) yield* workflowOf(principal, query.workflow_id)
          const [before] = (yield* decodeCursor(query.cursor, [runIdPattern])) ?? []
          const as_of = yield* audit.asOf(org)
          const rows = yield* lists.list(org, {
            ...scopeOf(principal),
            workflow: query.workflow_id,
            ofAgent: query.agent_id,
            parent: query.parent_run_id,
            status: query.status,
            ofMode: query.mode,
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const page = toPage(rows, query.limit, ({ id }) => [id])
          return { data: page.data.map(toSummary), next_cursor: page.next_cursor, as_of }
        }),
        get,
        changes: Effect.fnUntraced(function*(principal, id, after) {
          const row = yield* rowOf(principal, id)
          return row.rev <= after ? undefined : yield* views.run(row, principal, after)
        }),
        cancel: Effect.fn("WorkflowRuns.cancel")(function*(user, id) {
          const row = yield* rowOf(user, id)
          if (!isRunEnded(row.status)) {
            yield* db.transaction(Effect.gen(function*() {
              // The entry locks the workspace, after the row: the order of a save that ends the run.
              if (!(yield* repository.flag(user.org_id, id, runFlags.cancel))) return
              yield* audit.record(user.org_id, actorOf(user), {
                action: "run.cancel_requested",
                subject: { type: "workflow_run", id },
                agent_id: row.agent_id
              })
            }))
            signals.object(id)
            engine.nudge()
          }
          return yield* get(user, id)
        }),
        repeat
      })
    })
  )
}
