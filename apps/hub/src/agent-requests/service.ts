/**
 * Questions of agents to people, each answered once. An open request ends by an answer, a dismissal, its expiry, or the deletion
 * of its agent. Spec: reference/agent-requests.md "Agent request".
 */
import {
  type AgentRequest,
  type AgentRequestKind,
  type AgentRequestStatus,
  type AnswerAgentRequestInput,
  type CreateAgentRequestInput,
  openAgentRequestsMax
} from "@countersign/domain/agent-requests"
import type { AgentPrincipal, Principal, UserPrincipal } from "@countersign/domain/auth"
import { alreadyDecided, type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId, type OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option } from "effect"
import { Liveness } from "../auth/liveness.ts"
import { maySeeFor, ownerFilter, teamsToSee } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { needsInTeam } from "../edge/access.ts"
import { actorOf, AuditLog, hubActor } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { awaitSignal } from "../platform/waiting.ts"
import { type AgentRequestRow, AgentRequestsRepository, toAgentRequest } from "./repository.ts"
import { answerProblem, expiryProblem } from "./rules.ts"

const requestIdPattern = idPattern("arq")

export interface AgentRequestQuery extends PageQuery {
  readonly status?: AgentRequestStatus
  readonly kind?: AgentRequestKind
  readonly agent_id?: AgentId
}

export class AgentRequests extends Context.Service<AgentRequests, {
  /** `id`: the request's, minted before. */
  readonly create: (
    agent: AgentPrincipal,
    input: CreateAgentRequestInput,
    id?: string
  ) => Effect.Effect<AgentRequest, ApiError>
  /** The hub no longer needs the answer; false when it is no longer open. */
  readonly withdraw: (org: OrgId, id: string) => Effect.Effect<boolean>
  readonly list: (
    principal: Principal,
    query: AgentRequestQuery
  ) => Effect.Effect<PageOf<AgentRequest>, ApiError>
  /** With `waitSeconds`: returns as soon as the request is no longer open, on any hub, or at the end of the wait. */
  readonly get: (principal: Principal, id: string, waitSeconds: number) => Effect.Effect<AgentRequest, ApiError>
  /** Of racing decisions one succeeds; every other is 409 `conflict`. */
  readonly answer: (
    user: UserPrincipal,
    id: string,
    input: AnswerAgentRequestInput
  ) => Effect.Effect<AgentRequest, ApiError>
}>()("@countersign/hub/agent-requests/AgentRequests") {
  static readonly layer = Layer.effect(
    AgentRequests,
    Effect.gen(function*() {
      const repository = yield* AgentRequestsRepository
      const liveness = yield* Liveness
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const find = Effect.fnUntraced(function*(principal: Principal, id: string) {
        const row = Option.filter(
          yield* repository.find(principal.org_id, id),
          ({ agent_id, owner_user_id, team_id }) =>
            maySeeFor(principal, "agent_request", { id: agent_id, owner_user_id, team_id })
        )
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("agent request"))
      })

      const create = Effect.fn("AgentRequests.create")(
        function*(agent: AgentPrincipal, input: CreateAgentRequestInput, id: string = newId("arq")) {
          const org = agent.org_id
          const at = yield* heads.lock(org)
          const problem = input.expires_at === undefined ? undefined : expiryProblem(input.expires_at, at)
          if (problem !== undefined) return yield* Effect.fail(invalidField("expires_at", problem))
          if ((yield* repository.openOf(org, agent.agent_id)) >= openAgentRequestsMax) {
            return yield* Effect.fail(
              conflict(
                "limit_reached",
                `An agent can have ${openAgentRequestsMax} open requests; wait until people have answered some.`,
                { max: openAgentRequestsMax }
              )
            )
          }
          const exists = yield* repository.insert(org, {
            id: id as AgentRequest["id"],
            agent_id: agent.agent_id,
            kind: input.kind,
            title: input.title,
            body: input.body ?? "",
            options: input.options ?? null,
            created_at: at,
            expires_at: input.expires_at === undefined ? null : new Date(momentMillis(input.expires_at))
          })
          if (!exists) return yield* Effect.fail(notFound("agent"))
          yield* audit.record(org, actorOf(agent), {
            action: "agent_request.created",
            subject: { type: "agent_request", id },
            agent_id: agent.agent_id,
            data: { kind: input.kind }
          })
          return toAgentRequest(agent, yield* find(agent, id))
        },
        db.transaction
      )

      const withdraw = Effect.fn("AgentRequests.withdraw")(function*(org: OrgId, id: string) {
        const at = yield* heads.lock(org)
        const row = Option.getOrUndefined(yield* repository.find(org, id))
        if (row === undefined) return false
        const end = { status: "dismissed", answer: null, comment: null, by: null, at } as const
        if (!(yield* repository.end(org, id, end))) return false
        yield* audit.record(org, hubActor, {
          action: "agent_request.dismissed",
          subject: { type: "agent_request", id },
          agent_id: row.agent_id,
          data: { kind: row.kind, reason: "withdrawn" }
        })
        yield* db.afterCommit(Effect.sync(() => signals.object(id)))
        return true
      }, db.transaction)

      const decided = (user: UserPrincipal, row: AgentRequestRow) => {
        const { answered_at, answered_by, status } = toAgentRequest(user, row)
        return alreadyDecided("agent request", {
          status,
          ...(answered_by === undefined ? {} : { answered_by }),
          ...(answered_at === undefined ? {} : { answered_at })
        })
      }

      const answer = Effect.fn("AgentRequests.answer")(
        function*(caller: UserPrincipal, id: string, input: AnswerAgentRequestInput) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          const row = yield* find(user, id)
          yield* needsInTeam(user, "approvals:decide", row.team_id)
          if (row.status !== "open") return yield* Effect.fail(decided(user, row))
          const problem = answerProblem(row, input)
          if (problem !== undefined) return yield* Effect.fail(invalidField(problem.path, problem.message))
          yield* repository.end(org, id, {
            status: input.status,
            answer: input.answer ?? null,
            comment: input.comment ?? null,
            by: user.user_id,
            at
          })
          yield* audit.record(org, actorOf(user), {
            action: `agent_request.${input.status}`,
            subject: { type: "agent_request", id },
            agent_id: row.agent_id,
            data: { kind: row.kind }
          })
          yield* db.afterCommit(Effect.sync(() => signals.object(id)))
          return toAgentRequest(user, yield* find(user, id))
        },
        db.transaction
      )

      return AgentRequests.of({
        create,
        withdraw,
        answer,
        list: Effect.fn("AgentRequests.list")(function*(principal, query) {
          const org = principal.org_id
          const [before] = (yield* decodeCursor(query.cursor, [requestIdPattern])) ?? []
          const as_of = yield* audit.asOf(org)
          const isForeign = principal.kind === "agent" && (query.agent_id ?? principal.agent_id) !== principal.agent_id
          const rows = isForeign ? [] : yield* repository.list(org, {
            agent: principal.kind === "agent" ? principal.agent_id : query.agent_id,
            owner: ownerFilter(principal),
            teams: teamsToSee(principal, "agent_request"),
            status: query.status,
            kind: query.kind,
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, query.limit, ({ id }) => [id])
          return { data: data.map((row) => toAgentRequest(principal, row)), next_cursor, as_of }
        }),
        get: Effect.fn("AgentRequests.get")(function*(principal, id, waitSeconds) {
          const first = yield* find(principal, id)
          if (waitSeconds === 0 || first.status !== "open") return toAgentRequest(principal, first)
          const last = yield* liveness.whileAllowed(
            principal,
            awaitSignal(signals, id, waitSeconds * 1_000, find(principal, id), ({ status }) => status !== "open")
          )
          return toAgentRequest(principal, last)
        })
      })
    })
  )
}
