import { HubApi } from "@countersign/domain/api"
import type { ApprovalQuery, ApprovalStatus, DecideResult } from "@countersign/domain/approvals"
import { CurrentPrincipal, CurrentUser, type Role, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, invalidField, noWorkspace } from "@countersign/domain/errors"
import { idPattern } from "@countersign/domain/ids"
import { isJsonObject } from "@countersign/domain/json"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { Deferred, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { seesOwnOnly } from "../auth/own.ts"
import { renderRequest } from "../dispatch/requests/view.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, encodeCursor } from "../platform/cursor.ts"
import { csvFile } from "../platform/download.ts"
import { encodePositions } from "../platform/event-cursor.ts"
import { decodePlace } from "../platform/keyset.ts"
import { csvColumns, exported } from "./export.ts"
import { approvalSortTypes, isPendingList } from "./list-repository.ts"
import { ApprovalList } from "./list.ts"
import { ApprovalsRepository } from "./repository.ts"
import { Approvals, type Approved, decideMillisMax, inTime, type Turn } from "./service.ts"
import { ApprovalViews } from "./views.ts"

/** Maximum number of concurrent decisions of one batch. */
const batchConcurrency = 16

const shown = (facts: RequestFacts) => JSON.parse(renderRequest(facts)) as ServiceRequest
type Followed = ReadonlyArray<{ readonly org_id: string; readonly role: Role }>

type DecidedRequest = NonNullable<(typeof DecideResult.Type)["results"][number]["service_request"]>

/** The outcome of a request without its result: a hundred of these are one response. */
const outcomeOf = (facts: RequestFacts): DecidedRequest => {
  const { block, cost_cents, id, reason_code, result, status } = shown(facts)
  const { code, detail } = (status === "failed" && isJsonObject(result) ? result : {}) as {
    readonly code?: unknown
    readonly detail?: unknown
  }
  return {
    id,
    status,
    cost_cents,
    ...(reason_code === undefined ? {} : { reason_code }),
    ...(block === undefined ? {} : { block }),
    ...(typeof code === "string" ? { failure: { code, ...(typeof detail === "string" ? { detail } : {}) } } : {})
  }
}

/**
 * A turn for each of so many votes. A turn starts after all turns before it, since a vote that is refused early ends
 * before its turn.
 */
const turnsOf = Effect.fnUntraced(function*(count: number) {
  const recorded: Array<Deferred.Deferred<void>> = []
  for (let at = 0; at < count; at++) recorded.push(yield* Deferred.make<void>())
  return recorded.map((mine, at): Turn => ({
    before: Effect.forEach(recorded.slice(0, at), (each) => Deferred.await(each), { discard: true }),
    recorded: Effect.asVoid(Deferred.succeed(mine, undefined))
  }))
})

const approvalId = idPattern("apr")

export const ApprovalsHttp = HttpApiBuilder.group(
  HubApi,
  "approvals",
  Effect.fn(function*(handlers) {
    const approvals = yield* Approvals
    const views = yield* ApprovalViews
    const repository = yield* ApprovalsRepository
    const lists = yield* ApprovalList
    const audit = yield* AuditLog

    /** The caller's workspace, another workspace of a signed-in person, or all of theirs; with the role in each. */
    const followed = Effect.fnUntraced(function*(user: UserPrincipal, workspace: string | undefined) {
      const own: Followed = [{ org_id: user.org_id, role: user.role }]
      if (workspace === undefined || workspace === user.org_id) return own
      const memberships = user.via.kind === "session" ? yield* repository.memberships(user.user_id) : own
      const named = memberships.filter(({ org_id, role }) =>
        (workspace === "all" || org_id === workspace) && rolePermissions[role].has("approvals:read")
      )
      return workspace === "all" || named.length > 0 ? named : yield* Effect.fail(noWorkspace())
    })

    /** Workspaces that the person reads completely, and those where the person sees only requests of their agents. */
    const readable = (orgs: Followed, user: UserPrincipal) => ({
      whole: orgs.filter(({ role }) => !seesOwnOnly(role)).map(({ org_id }) => org_id),
      ownIn: { orgs: orgs.filter(({ role }) => seesOwnOnly(role)).map(({ org_id }) => org_id), user: user.user_id }
    })

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

    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
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
        const roles = new Map(orgs.map(({ org_id, role }) => [org_id, role]))
        return {
          next_cursor: next === undefined ? null : encodeCursor(isById ? [next.id] : [sort, next.key, next.id]),
          // In another workspace the person has the permissions of their role there.
          data: yield* views.all(rows, (org) => {
            const role = roles.get(org) ?? user.role
            return org === user.org_id
              ? user
              : { ...user, org_id: org as typeof user.org_id, role, permissions: rolePermissions[role] }
          }),
          as_of
        }
      }),
      export: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        const { filter, whole } = filterOf(yield* followed(user, query.workspace), user, query)
        return csvFile(`approvals-${query.workspace ?? user.org_id}`, csvColumns, exported(whole, filter, lists, views))
      }),
      counts: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        const orgs = yield* followed(user, query.workspace)
        const as_of = yield* positionsOf(orgs)
        const { ownIn, whole } = readable(orgs, user)
        const rows = new Map((yield* repository.pendingCounts(whole, ownIn)).map((row) => [row.org_id, row]))
        const data = orgs.map(({ org_id }) => {
          const row = rows.get(org_id)
          return {
            workspace: org_id as typeof user.org_id,
            pending: row?.pending ?? 0,
            ...row === undefined ? {} : { next_expires_at: row.next_expires_at.toISOString() }
          }
        })
        return { pending: data.reduce((sum, { pending }) => sum + pending, 0), data, as_of }
      }),
      get: Effect.fnUntraced(function*({ params }) {
        return yield* approvals.get(yield* CurrentPrincipal, params.id)
      }),
      approve: Effect.fnUntraced(function*({ params, payload }) {
        const { service_request, ...rest } = yield* approvals.approve(yield* CurrentUser, params.id, payload ?? {})
        return { ...rest, ...(service_request === undefined ? {} : { service_request: shown(service_request) }) }
      }),
      reject: Effect.fnUntraced(function*({ params, payload }) {
        return yield* approvals.reject(yield* CurrentUser, params.id, payload ?? {})
      }),
      decide: Effect.fnUntraced(function*({ payload }) {
        const user = yield* CurrentUser
        const items: ReadonlyArray<
          { readonly id: (typeof payload.ids & {})[number]; readonly payload_digest?: string }
        > = payload.items ?? (payload.ids ?? []).map((id) => ({ id }))
        if (new Set(items.map(({ id }) => id)).size !== items.length) {
          return yield* Effect.fail(invalidField(payload.items === undefined ? "ids" : "items", "each approval once"))
        }
        const comment = payload.comment === undefined ? {} : { comment: payload.comment }
        const until = performance.now() + decideMillisMax
        const turns = yield* turnsOf(items.length)
        const results = yield* Effect.forEach(items, ({ id, payload_digest }, at) =>
          Effect.suspend(() => {
            const input = { ...comment, ...(payload_digest === undefined ? {} : { payload_digest }) }
            const decided = payload.decision === "approve"
              ? approvals.approve(user, id, input, turns[at])
              : Effect.map(approvals.reject(user, id, input), (approval): Approved => ({ approval }))
            return Effect.matchEffect(
              Effect.ensuring(inTime(decided, until - performance.now()), turns[at]!.recorded),
              {
                onSuccess: ({ approval, service_request }) =>
                  Effect.succeed({
                    id,
                    status: approval.status,
                    ...(service_request === undefined ? {} : { service_request: outcomeOf(service_request) })
                  }),
                onFailure: ({ error }: ApiError) =>
                  Effect.map(Effect.option(approvals.statusOf(user, id)), (status) => ({
                    id,
                    ...(Option.isNone(status) ? {} : { status: status.value }),
                    error: {
                      code: error.code,
                      message: error.message,
                      ...(error.data === undefined ? {} : { data: error.data })
                    }
                  }))
              }
            )
          }), { concurrency: batchConcurrency })
        return { results }
      }),
      edit: Effect.fnUntraced(function*({ params, payload }) {
        const { answer, approval } = yield* approvals.edit(yield* CurrentUser, params.id, payload)
        return { approval, service_request: shown(answer.facts) }
      })
    })
  })
)
