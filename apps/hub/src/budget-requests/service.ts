/**
 * Asking for higher caps, and deciding about it. The approval and the raised cap are one transaction. Spec:
 * reference/budgets-and-ledger.md "Budget requests".
 */
import { isInScope, type Principal, type UserPrincipal } from "@countersign/domain/auth"
import { coversOperation } from "@countersign/domain/bindings"
import type {
  BudgetRequest,
  BudgetRequestStatus,
  CreateBudgetRequestInput,
  DecideBudgetRequestInput
} from "@countersign/domain/budget-requests"
import { alreadyDecided, type ApiError, conflict, forbidden, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId, type OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer, Option } from "effect"
import { BindingsRepository } from "../agents/bindings-repository.ts"
import { ownAgentIn } from "../agents/own-agent.ts"
import { type AgentRow, AgentsRepository } from "../agents/repository.ts"
import { namedFor, nameFor } from "../auth/named.ts"
import { mayActOnAgent, maySeeFor, needsOnAgent, ownerFilter, teamsToSee } from "../auth/own.ts"
import { Bindings } from "../bindings/service.ts"
import { Budgets } from "../budgets/service.ts"
import { needs, needsScope } from "../edge/access.ts"
import { callerLock } from "../members/caller-lock.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { type BudgetRequestRow, BudgetRequestsRepository } from "./repository.ts"

const shown = (principal: Principal, row: BudgetRequestRow): BudgetRequest => ({
  id: row.id,
  agent_id: row.agent_id,
  amount_cents: row.amount_cents,
  ...(row.amount_cents === row.requested_cents ? {} : { requested_amount_cents: row.requested_cents }),
  period: row.period,
  ...(row.service === null ? {} : { operation: `${row.service}.${row.operation}` }),
  reason: row.reason,
  status: row.status,
  requested_by: {
    type: row.requester_type,
    id: row.requester_id,
    name: nameFor(principal, row.requester_name, row.requester_email)
  },
  ...(row.decided_by === null ? {} : {
    decided_by: namedFor(principal, {
      id: row.decided_by,
      name: row.decider_name ?? "",
      email: row.decider_email ?? ""
    })
  }),
  ...(row.comment === null ? {} : { comment: row.comment }),
  created_at: row.created_at.toISOString(),
  ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() })
})

const maySee = (principal: Principal, row: BudgetRequestRow): boolean =>
  maySeeFor(principal, "budget_request", {
    id: row.agent_id,
    owner_user_id: row.owner_user_id,
    team_id: row.team_id
  })

const isRequester = (principal: Principal, row: BudgetRequestRow): boolean =>
  principal.kind === "agent"
    ? row.requester_type === "agent" && row.requester_id === principal.agent_id
    : row.requester_type === "user" && row.requester_id === principal.user_id

/** Asking for more needs the right to dispatch, or to set the agent's budget. */
const mayAsk = (user: UserPrincipal, agent: AgentRow): Effect.Effect<void, ApiError> =>
  mayActOnAgent(user, "budgets:write", agent) ? Effect.void : needs(user, "requests:write")

/** A token with neither of the scopes that ask cannot withdraw. */
const needsScopeToAsk = (user: UserPrincipal): Effect.Effect<void, ApiError> =>
  isInScope(user, "budgets:write") ? Effect.void : needsScope(user, "requests:write")

export class BudgetRequests extends Context.Service<BudgetRequests, {
  readonly list: (
    principal: Principal,
    query: PageQuery & { readonly status?: BudgetRequestStatus; readonly agent_id?: AgentId }
  ) => Effect.Effect<PageOf<BudgetRequest>, ApiError>
  readonly get: (principal: Principal, id: string) => Effect.Effect<BudgetRequest, ApiError>
  /** 409 `budget_request_pending` while the agent or its operation has a pending one. */
  readonly create: (principal: Principal, input: CreateBudgetRequestInput) => Effect.Effect<BudgetRequest, ApiError>
  /** Of concurrent decisions the first wins; the others get 409 `conflict`. */
  readonly decide: (
    principal: Principal,
    id: string,
    input: DecideBudgetRequestInput
  ) => Effect.Effect<BudgetRequest, ApiError>
}>()("@countersign/hub/budget-requests/BudgetRequests") {
  static readonly layer = Layer.effect(
    BudgetRequests,
    Effect.gen(function*() {
      const repository = yield* BudgetRequestsRepository
      const ownAgent = ownAgentIn(yield* AgentsRepository)
      const bindingRows = yield* BindingsRepository
      const lock = yield* callerLock
      const bindings = yield* Bindings
      const budgets = yield* Budgets
      const audit = yield* AuditLog
      const db = yield* Db

      const find = Effect.fnUntraced(function*(principal: Principal, id: string) {
        const row = Option.filter(yield* repository.find(principal.org_id, id), (row) => maySee(principal, row))
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("budget request"))
      })

      const agentOf = Effect.fnUntraced(function*(principal: Principal, input: CreateBudgetRequestInput) {
        if (principal.kind === "agent") {
          return input.agent_id === undefined || input.agent_id === principal.agent_id
            ? principal.agent_id
            : yield* Effect.fail(invalidField("agent_id", "an agent asks for itself only"))
        }
        return input.agent_id ?? (yield* Effect.fail(invalidField("agent_id", "name the agent that needs the budget")))
      })

      /** The parts of `service.operation`; the agent's binding must cover it. */
      const operationOf = Effect.fnUntraced(function*(org: OrgId, agent: AgentId, name: string | undefined) {
        if (name === undefined) return { service: null, operation: null }
        const dot = name.indexOf(".")
        const [service, operation] = [name.slice(0, dot), name.slice(dot + 1)]
        const binding = yield* bindingRows.find(org, agent, service)
        if (Option.isNone(binding) || !coversOperation(binding.value, operation)) {
          return yield* Effect.fail(invalidField("operation", "the agent has no binding that covers this operation"))
        }
        return { service, operation }
      })

      const create = Effect.fn("BudgetRequests.create")(
        function*(principal: Principal, input: CreateBudgetRequestInput) {
          const org = principal.org_id
          const agent = yield* agentOf(principal, input)
          const at = yield* lock(principal)
          const row = yield* ownAgent(principal, agent)
          if (principal.kind === "user") yield* mayAsk(principal, row)
          const { operation, service } = yield* operationOf(org, agent, input.operation)
          const pending = yield* repository.pending(org, agent, { service, operation })
          if (pending !== undefined) {
            return yield* Effect.fail(
              conflict(
                "budget_request_pending",
                "A budget request is already pending. Wait for its decision, or withdraw it.",
                { id: pending }
              )
            )
          }
          const id = newId("brq")
          yield* repository.insert(org, {
            id,
            agent_id: agent,
            service,
            operation,
            amount_cents: input.amount_cents,
            period: input.period,
            reason: input.reason,
            requester_type: principal.kind,
            requester_id: principal.kind === "agent" ? principal.agent_id : principal.user_id,
            created_at: at
          })
          yield* audit.record(org, actorOf(principal), {
            action: "budget_request.created",
            subject: { type: "budget_request", id },
            agent_id: agent,
            data: {
              amount_cents: input.amount_cents,
              period: input.period,
              ...(input.operation === undefined ? {} : { operation: input.operation }),
              reason: input.reason
            }
          })
          return shown(principal, yield* find(principal, id))
        },
        db.transaction
      )

      const raise = (user: UserPrincipal, row: BudgetRequestRow, cents: number, at: Date) => {
        const change = { cents, period: row.period, request: row.id, at }
        return row.service === null || row.operation === null
          ? budgets.raise(user, row.agent_id, change)
          : bindings.raise(user, row.agent_id, { service: row.service, operation: row.operation }, change)
      }

      const decide = Effect.fn("BudgetRequests.decide")(
        function*(principal: Principal, id: string, input: DecideBudgetRequestInput) {
          const org = principal.org_id
          if (input.amount_cents !== undefined && input.status !== "approved") {
            return yield* Effect.fail(invalidField("amount_cents", "only an approval has an amount"))
          }
          const at = yield* lock(principal)
          const row = yield* find(principal, id)
          if (input.status === "withdrawn") {
            if (!isRequester(principal, row)) {
              return yield* Effect.fail(
                forbidden("Only the requester can withdraw a budget request; reject it instead.")
              )
            }
            if (principal.kind === "user") yield* needsScopeToAsk(principal)
          } else if (principal.kind === "agent") {
            return yield* Effect.fail(
              forbidden("A person decides budget requests.", { permission: "budgets:write" })
            )
          } else yield* needsOnAgent(principal, "budgets:write", row)
          if (row.status !== "pending") {
            return yield* Effect.fail(
              alreadyDecided("budget request", {
                status: row.status,
                ...(row.decided_by === null ? {} : { decided_by: row.decided_by }),
                ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() })
              })
            )
          }
          const amount = input.amount_cents ?? row.amount_cents
          if (input.status === "approved" && principal.kind === "user") yield* raise(principal, row, amount, at)
          yield* repository.decide(org, id, {
            status: input.status,
            amount_cents: amount,
            decided_by: input.status === "withdrawn" || principal.kind === "agent" ? null : principal.user_id,
            comment: input.comment ?? null,
            at
          })
          yield* audit.record(org, actorOf(principal), {
            action: `budget_request.${input.status}`,
            subject: { type: "budget_request", id },
            agent_id: row.agent_id,
            data: {
              amount_cents: amount,
              ...(amount === row.requested_cents ? {} : { requested_amount_cents: row.requested_cents }),
              period: row.period,
              ...(row.service === null ? {} : { operation: `${row.service}.${row.operation}` }),
              ...(input.comment === undefined ? {} : { comment: input.comment })
            }
          })
          return shown(principal, yield* find(principal, id))
        },
        db.transaction
      )

      return BudgetRequests.of({
        list: Effect.fn("BudgetRequests.list")(function*(principal, { agent_id, cursor, limit, status }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("brq")])) ?? []
          const as_of = yield* audit.asOf(principal.org_id)
          if (principal.kind === "agent" && agent_id !== undefined && agent_id !== principal.agent_id) {
            return { data: [], next_cursor: null, as_of }
          }
          const rows = yield* repository.list(principal.org_id, {
            agent: principal.kind === "agent" ? principal.agent_id : agent_id,
            owner: ownerFilter(principal),
            teams: teamsToSee(principal, "budget_request"),
            status,
            before,
            limit: (limit ?? pageLimitDefault) + 1
          })
          const { data, next_cursor } = toPage(rows, limit, (row) => [row.id])
          return { data: data.map((row) => shown(principal, row)), next_cursor, as_of }
        }),
        get: Effect.fn("BudgetRequests.get")(function*(principal, id) {
          return shown(principal, yield* find(principal, id))
        }),
        create,
        decide
      })
    })
  )
}
