import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser, type Role, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, invalidField, noWorkspace } from "@countersign/domain/errors"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AuditLog } from "../audit/service.ts"
import { encodePositions } from "../audit/event-cursor.ts"
import { renderRequest, type RequestFacts } from "../dispatch/view.ts"
import { decodeCursor, toPage } from "../platform/cursor.ts"
import { ApprovalsRepository } from "./repository.ts"
import { Approvals } from "./service.ts"
import { ApprovalViews } from "./views.ts"

/** Decisions of one batch that run at a time. */
const batchConcurrency = 16

const shown = (facts: RequestFacts) => JSON.parse(renderRequest(facts)) as ServiceRequest
type Followed = ReadonlyArray<{ readonly org_id: string; readonly role: Role }>

const aprCursor = [/^apr_[0-7][0-9a-hjkmnp-tv-z]{25}$/]

export const ApprovalsHttp = HttpApiBuilder.group(HubApi, "approvals", Effect.fn(function*(handlers) {
  const approvals = yield* Approvals
  const views = yield* ApprovalViews
  const repository = yield* ApprovalsRepository
  const audit = yield* AuditLog

  /** The caller's own workspace, another of a signed-in person, or all of theirs; with the role in each. */
  const followed = Effect.fnUntraced(function*(user: UserPrincipal, workspace: string | undefined) {
    const own: Followed = [{ org_id: user.org_id, role: user.role }]
    if (workspace === undefined || workspace === user.org_id) return own
    const memberships = user.via.kind === "session" ? yield* repository.memberships(user.user_id) : own
    const named = memberships.filter(({ org_id, role }) =>
      (workspace === "all" || org_id === workspace) && rolePermissions[role].has("approvals:read")
    )
    return workspace === "all" || named.length > 0 ? named : yield* Effect.fail(noWorkspace())
  })

  /** Workspaces that are read whole, and those where a person sees what their own agents asked. */
  const readable = (orgs: Followed, user: UserPrincipal) => ({
    whole: orgs.filter(({ role }) => role !== "member").map(({ org_id }) => org_id),
    ownIn: { orgs: orgs.filter(({ role }) => role === "member").map(({ org_id }) => org_id), user: user.user_id }
  })

  const positionsOf = (orgs: Followed) =>
    Effect.map(
      Effect.forEach(orgs, ({ org_id }) => Effect.map(audit.seqOf(org_id), (seq) => [org_id, seq] as const), { concurrency: 8 }),
      (positions) => encodePositions(new Map(positions))
    )

  return handlers.handleAll({
    list: Effect.fnUntraced(function*({ query }) {
      const user = yield* CurrentUser
      const orgs = yield* followed(user, query.workspace)
      const [after] = (yield* decodeCursor(query.cursor, aprCursor)) ?? []
      const as_of = yield* positionsOf(orgs)
      const limit = query.limit ?? pageLimitDefault
      const { ownIn, whole } = readable(orgs, user)
      const statuses = query.status === undefined
        ? ["pending" as const]
        : typeof query.status === "string"
        ? [query.status]
        : query.status
      const { agent_id, kind, operation, service } = query
      const rows = yield* repository.list(whole, { ownIn, statuses, kind, agent_id, service, operation, after, limit })
      const page = toPage(rows, limit, ({ id }) => [id])
      const roles = new Map(orgs.map(({ org_id, role }) => [org_id, role]))
      return {
        ...page,
        // In another workspace a person may what their role there may.
        data: yield* views.all(page.data, (org) => {
          const role = roles.get(org) ?? user.role
          return org === user.org_id
            ? user
            : { ...user, org_id: org as typeof user.org_id, role, permissions: rolePermissions[role] }
        }),
        as_of
      }
    }),
    counts: Effect.fnUntraced(function*({ query }) {
      const user = yield* CurrentUser
      const orgs = yield* followed(user, query.workspace)
      const as_of = yield* positionsOf(orgs)
      const { ownIn, whole } = readable(orgs, user)
      const rows = new Map((yield* repository.waiting(whole, ownIn)).map((row) => [row.org_id, row]))
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
      const items: ReadonlyArray<{ readonly id: (typeof payload.ids & {})[number]; readonly payload_digest?: string }> =
        payload.items ?? (payload.ids ?? []).map((id) => ({ id }))
      if (new Set(items.map(({ id }) => id)).size !== items.length) {
        return yield* Effect.fail(invalidField(payload.items === undefined ? "ids" : "items", "each approval once"))
      }
      const comment = payload.comment === undefined ? {} : { comment: payload.comment }
      const results = yield* Effect.forEach(items, ({ id, payload_digest }) => {
        const input = { ...comment, ...(payload_digest === undefined ? {} : { payload_digest }) }
        const decided = payload.decision === "approve"
          ? Effect.map(approvals.approve(user, id, input), ({ approval }) => approval)
          : approvals.reject(user, id, input)
        return Effect.matchEffect(decided, {
          onSuccess: (approval) => Effect.succeed({ id, status: approval.status }),
          onFailure: ({ error }: ApiError) =>
            Effect.map(Effect.option(approvals.statusOf(user, id)), (status) => ({
              id,
              ...(Option.isNone(status) ? {} : { status: status.value }),
              error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) }
            }))
        })
      }, { concurrency: batchConcurrency })
      return { results }
    }),
    edit: Effect.fnUntraced(function*({ params, payload }) {
      const { answer, approval } = yield* approvals.edit(yield* CurrentUser, params.id, payload)
      return { approval, service_request: shown(answer.facts) }
    })
  })
}))
