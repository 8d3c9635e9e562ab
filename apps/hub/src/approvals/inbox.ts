/**
 * The approvals that a person reads: their own workspace, another one, or all of theirs, each with the person's role
 * there. Spec: reference/approvals.md "Endpoints".
 */
import type { Approval, ApprovalQuery, ApprovalStatus, WaitingCounts } from "@countersign/domain/approvals"
import type { UserPrincipal } from "@countersign/domain/auth"
import { type BadRequest, type NotFound, noWorkspace } from "@countersign/domain/errors"
import { idPattern } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer, Option, type Stream } from "effect"
import { AgentRequestsRepository } from "../agent-requests/repository.ts"
import { inWorkspace, type OwnIn, seesOwnOnly, type TeamObject, teamsToSee } from "../auth/own.ts"
import { BudgetRequestsRepository } from "../budget-requests/repository.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, encodeCursor, type PageOf, type PageQuery } from "../platform/cursor.ts"
import { encodePositions } from "../platform/event-cursor.ts"
import { decodePlace } from "../platform/keyset.ts"
import { exported, type ExportRow } from "./export.ts"
import { approvalSortTypes, isPendingList } from "./list-repository.ts"
import { ApprovalList } from "./list.ts"
import { ApprovalsRepository } from "./repository.ts"
import { ApprovalViews } from "./views.ts"

/** The person in each workspace that is read. */
type Followed = ReadonlyArray<UserPrincipal>

/** `workspace`: an id, or `all`; default: the caller's own. */
type InboxQuery = ApprovalQuery & { readonly workspace?: string }

const approvalId = idPattern("apr")

export class ApprovalInbox extends Context.Service<ApprovalInbox, {
  readonly list: (
    user: UserPrincipal,
    query: InboxQuery & PageQuery
  ) => Effect.Effect<PageOf<Approval>, BadRequest | NotFound>
  /** The whole list, in its order, read as the client consumes it. */
  readonly rows: (
    user: UserPrincipal,
    query: InboxQuery
  ) => Effect.Effect<Stream.Stream<ExportRow>, NotFound>
  /** The number of pending approvals, open agent requests, and pending budget requests in each workspace. */
  readonly counts: (user: UserPrincipal, workspace: string | undefined) => Effect.Effect<WaitingCounts, NotFound>
}>()("@countersign/hub/approvals/ApprovalInbox") {
  static readonly layer = Layer.effect(
    ApprovalInbox,
    Effect.gen(function*() {
      const repository = yield* ApprovalsRepository
      const agentRequests = yield* AgentRequestsRepository
      const budgetRequests = yield* BudgetRequestsRepository
      const lists = yield* ApprovalList
      const views = yield* ApprovalViews
      const audit = yield* AuditLog

      /** The caller's workspace, another workspace of a signed-in person, or all of theirs; with the role in each. */
      const followed = Effect.fnUntraced(function*(user: UserPrincipal, workspace: string | undefined) {
        const own: Followed = [user]
        if (workspace === undefined || workspace === user.org_id) return own
        const memberships = user.via.kind === "session"
          ? (yield* repository.memberships(user.user_id)).map((roles) => inWorkspace(user, roles))
          : own
        const named = memberships.filter(({ org_id, permissions }) =>
          (workspace === "all" || org_id === workspace) && permissions.has("approvals:read")
        )
        return workspace === "all" || named.length > 0 ? named : yield* Effect.fail(noWorkspace())
      })

      /** Workspaces that the person reads completely, and those where the person sees only requests of some agents. */
      const readable = (orgs: Followed, user: UserPrincipal, object: TeamObject = "approval") => {
        const own = orgs.filter(({ role }) => seesOwnOnly(role))
        const ownIn: OwnIn = {
          orgs: own.map(({ org_id }) => org_id),
          user: user.user_id,
          teams: own.flatMap((person) => teamsToSee(person, object))
        }
        return { whole: orgs.filter(({ role }) => !seesOwnOnly(role)).map(({ org_id }) => org_id), ownIn }
      }

      const positionsOf = (orgs: Followed) =>
        Effect.map(
          Effect.forEach(orgs, ({ org_id }) => Effect.map(audit.seqOf(org_id), (seq) => [org_id, seq] as const), {
            concurrency: 8
          }),
          (positions) => encodePositions(new Map(positions))
        )

      /** The filter of the list and of its export. */
      const filterOf = (orgs: Followed, user: UserPrincipal, query: ApprovalQuery) => {
        const statuses: ReadonlyArray<ApprovalStatus> = query.status === undefined
          ? ["pending"]
          : typeof query.status === "string"
          ? [query.status]
          : query.status
        const { ownIn, whole } = readable(orgs, user)
        const { agent_id, kind, max_age_seconds, max_cents, min_age_seconds, min_cents, operation, q, service } = query
        const sort = query.sort ?? (isPendingList(statuses) ? "requested_at" : "-requested_at")
        return {
          whole,
          filter: {
            ownIn,
            statuses,
            kind,
            agent_id,
            service,
            operation,
            min_cents,
            max_cents,
            min_age_seconds,
            max_age_seconds,
            sort,
            q
          }
        }
      }

      const list: ApprovalInbox["Service"]["list"] = Effect.fnUntraced(function*(user, query) {
        const orgs = yield* followed(user, query.workspace)
        const limit = query.limit ?? pageLimitDefault
        const { filter, whole } = filterOf(orgs, user, query)
        const { sort } = filter
        const isById = sort === "requested_at" || sort === "-requested_at"
        const after = isById
          ? Option.getOrUndefined(
            Option.map(
              Option.fromNullishOr(yield* decodeCursor(query.cursor, [approvalId])),
              ([id]) => ({ key: id!, id: id! })
            )
          )
          : yield* decodePlace(
            query.cursor,
            sort,
            approvalSortTypes[sort.replace("-", "") as keyof typeof approvalSortTypes],
            approvalId
          )
        const as_of = yield* positionsOf(orgs)
        const { next, rows } = yield* lists.page(whole, { ...filter, after, limit })
        const persons = new Map<string, UserPrincipal>(orgs.map((person) => [person.org_id, person]))
        return {
          next_cursor: next === undefined ? null : encodeCursor(isById ? [next.id] : [sort, next.key, next.id]),
          // In another workspace the person has the permissions of their role there.
          data: yield* views.all(rows, (org) => persons.get(org) ?? user),
          as_of
        }
      })

      const rows: ApprovalInbox["Service"]["rows"] = Effect.fnUntraced(function*(user, query) {
        const { filter, whole } = filterOf(yield* followed(user, query.workspace), user, query)
        return exported(whole, filter, lists, views)
      })

      const counts: ApprovalInbox["Service"]["counts"] = Effect.fnUntraced(function*(user, workspace) {
        const orgs = yield* followed(user, workspace)
        const as_of = yield* positionsOf(orgs)
        const { ownIn, whole } = readable(orgs, user)
        const rows = new Map((yield* repository.pendingCounts(whole, ownIn)).map((row) => [row.org_id, row]))
        const open = yield* agentRequests.openCounts(whole, readable(orgs, user, "agent_request").ownIn)
        const budgets = yield* budgetRequests.pendingCounts(whole, readable(orgs, user, "budget_request").ownIn)
        const data = orgs.map(({ org_id }) => {
          const row = rows.get(org_id)
          return {
            workspace: org_id,
            pending: row?.pending ?? 0,
            agent_requests: open.get(org_id) ?? 0,
            budget_requests: budgets.get(org_id) ?? 0,
            ...row === undefined ? {} : { next_expires_at: row.next_expires_at.toISOString() }
          }
        })
        return {
          pending: data.reduce((sum, { pending }) => sum + pending, 0),
          agent_requests: data.reduce((sum, { agent_requests }) => sum + agent_requests, 0),
          budget_requests: data.reduce((sum, { budget_requests }) => sum + budget_requests, 0),
          data,
          as_of
        }
      })

      return ApprovalInbox.of({ list, rows, counts })
    })
  )
}
