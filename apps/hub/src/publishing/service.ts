/**
 * Publish requests, their review, and publications. Of racing decisions one succeeds. Spec: reference/publishing.md
 * "Publish requests", "Review", "Publications", "Marketplace".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import { alreadyDecided, type ApiError, conflict, forbidden, invalidField, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, newId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type {
  DecidePublishRequestInput,
  Listing,
  Publication,
  PublicationStatus,
  PublishInput,
  PublishRequest,
  PublishRequestStatus
} from "@countersign/domain/publishing"
import { Context, Effect, Layer, Option } from "effect"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { usableTeamIn } from "../agents/usable-team.ts"
import { ownerFilter, teamFilter } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { needsScope } from "../edge/access.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { PublishedWorkflows } from "./published-workflows.ts"
import {
  type NewPublishRequest,
  type PublicationRow,
  PublishingRepository,
  type PublishRequestRow,
  type SharedReader
} from "./repository.ts"
import { audienceProblem, decisionRefusal, publishPermission, reviewerRoles } from "./rules.ts"

export interface PublishedVersion {
  readonly id: string
  readonly version_id: string
  readonly name: string
  readonly description: string
}

export class Publishing extends Context.Service<Publishing, {
  readonly publishAgent: (
    user: UserPrincipal,
    agent: AgentId,
    input: PublishInput
  ) => Effect.Effect<PublishRequest, ApiError>
  /**
   * A request to make a version of a workflow live; a pending one of the workflow is withdrawn. Runs in the caller's
   * transaction, under the workspace's lock, for a person with the right to change the workflow.
   */
  readonly requestWorkflow: (
    user: UserPrincipal,
    workflow: PublishedVersion,
    input: PublishInput,
    at: Date
  ) => Effect.Effect<PublishRequest, ApiError>
  /** Revokes the active publication of a workflow. Runs in the caller's transaction, under the workspace's lock. */
  readonly revokeWorkflow: (user: UserPrincipal, workflow: string, at: Date) => Effect.Effect<void>
  /** The same, and withdraws its pending request. */
  readonly endWorkflow: (user: UserPrincipal, workflow: string, at: Date, reason: string) => Effect.Effect<void>
  readonly requests: (
    user: UserPrincipal,
    query: PageQuery & { readonly status?: PublishRequestStatus }
  ) => Effect.Effect<PageOf<PublishRequest>, ApiError>
  readonly request: (user: UserPrincipal, id: string) => Effect.Effect<PublishRequest, ApiError>
  readonly decide: (
    user: UserPrincipal,
    id: string,
    input: DecidePublishRequestInput
  ) => Effect.Effect<PublishRequest, ApiError>
  readonly publications: (
    user: UserPrincipal,
    query: PageQuery & { readonly status?: PublicationStatus }
  ) => Effect.Effect<PageOf<Publication>, ApiError>
  readonly revoke: (user: UserPrincipal, id: string) => Effect.Effect<Publication, ApiError>
  readonly listings: (
    user: UserPrincipal,
    query: PageQuery & { readonly q?: string; readonly category?: string }
  ) => Effect.Effect<PageOf<Listing>, ApiError>
}>()("@countersign/hub/publishing/Publishing") {
  static readonly layer = Layer.effect(
    Publishing,
    Effect.gen(function*() {
      const repository = yield* PublishingRepository
      const agents = yield* AgentsRepository
      const ownAgent = ownAgentIn(agents)
      const usableTeam = usableTeamIn(agents, "publish to it")
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const workflows = yield* PublishedWorkflows

      /** A member sees the requests that they made. */
      const findRequest = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const by = ownerFilter(user)
        const row = Option.filter(
          yield* repository.findRequest(user.org_id, id),
          ({ requested_by }) => by === undefined || requested_by === by
        )
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("publish request"))
      })

      const checkAudience = Effect.fnUntraced(function*(user: UserPrincipal, input: PublishInput) {
        const problem = audienceProblem(input)
        if (problem !== undefined) return yield* Effect.fail(invalidField(problem.path, problem.message))
        if (input.team_id !== undefined) yield* usableTeam(user, input.team_id)
      })

      const insert = Effect.fnUntraced(function*(
        user: UserPrincipal,
        subject: Pick<
          NewPublishRequest,
          "subject_type" | "subject_id" | "version_id" | "name" | "description" | "icon" | "category"
        >,
        input: PublishInput,
        at: Date
      ) {
        const org = user.org_id
        const { listed = false, note = null, scope, team_id = null } = input
        const id = newId("pbr")
        yield* repository.insert(org, {
          id,
          ...subject,
          scope,
          team_id,
          listed,
          note,
          requested_by: user.user_id,
          created_at: at
        })
        const { subject_id, subject_type, version_id } = subject
        yield* audit.record(org, actorOf(user), {
          action: "publish_request.created",
          subject: { type: "publish_request", id },
          ...agentOf(subject),
          data: {
            scope,
            listed,
            ...(team_id === null ? {} : { team_id }),
            ...(subject_type === "agent" ? {} : { workflow_id: subject_id, version_id })
          }
        })
        return toRequest(yield* findRequest(user, id))
      })

      const publishAgent = Effect.fn("Publishing.publishAgent")(
        function*(caller: UserPrincipal, id: string, input: PublishInput) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          const agent = yield* ownAgent(user, id, "agents:write")
          if (agent.kind === "chat") {
            return yield* Effect.fail(conflict("conflict", "The agent of a chat cannot be published."))
          }
          yield* checkAudience(user, input)
          const { team_id = null } = input
          const target = { subject_type: "agent", subject_id: agent.id, team_id } as const
          if (yield* repository.hasPending(org, target)) {
            return yield* Effect.fail(
              conflict(
                "conflict",
                "A request to publish this agent to the same audience is pending; withdraw it first."
              )
            )
          }
          const { category, description, icon, name } = agent
          return yield* insert(
            user,
            { ...target, version_id: null, name, description, icon, category },
            input,
            at
          )
        },
        db.transaction
      )

      const withdrawPending = Effect.fnUntraced(
        function*(user: UserPrincipal, workflow: string, at: Date, reason: string) {
          const org = user.org_id
          const pending = yield* repository.pendingOf(org, workflow)
          if (Option.isNone(pending)) return
          const by = user.user_id
          yield* repository.decide(org, pending.value, { status: "withdrawn", comment: null, by, at })
          yield* audit.record(org, actorOf(user), {
            action: "publish_request.withdrawn",
            subject: { type: "publish_request", id: pending.value },
            data: { reason }
          })
        }
      )

      const requestWorkflow = Effect.fn("Publishing.requestWorkflow")(
        function*(user: UserPrincipal, workflow: PublishedVersion, input: PublishInput, at: Date) {
          yield* checkAudience(user, input)
          yield* withdrawPending(user, workflow.id, at, "replaced")
          const { description, id, name, version_id } = workflow
          return yield* insert(
            user,
            {
              subject_type: "workflow",
              subject_id: id,
              version_id,
              name,
              description,
              icon: null,
              category: null
            },
            input,
            at
          )
        }
      )

      /** Revokes the active publication of a workflow, of any audience; false without one. */
      const revokeActive = Effect.fnUntraced(
        function*(user: UserPrincipal, workflow: string, at: Date, data: Readonly<Record<string, unknown>>) {
          const org = user.org_id
          const active = yield* repository.activeOf(org, workflow)
          if (Option.isNone(active)) return
          yield* repository.revoke(org, active.value, user.user_id, at)
          yield* audit.record(org, actorOf(user), {
            action: "publication.revoked",
            subject: { type: "publication", id: active.value },
            data
          })
        }
      )

      const revokeWorkflow = Effect.fn("Publishing.revokeWorkflow")(
        function*(user: UserPrincipal, workflow: string, at: Date) {
          yield* revokeActive(user, workflow, at, { reason: "unpublished" })
          yield* workflows.endLive(user.org_id, actorOf(user), workflow, at)
        }
      )

      const endWorkflow = Effect.fn("Publishing.endWorkflow")(
        function*(user: UserPrincipal, workflow: string, at: Date, reason: string) {
          yield* withdrawPending(user, workflow, at, reason)
          yield* revokeActive(user, workflow, at, { reason })
        }
      )

      /** Ends the earlier publication for the same audience, and publishes. */
      const publish = Effect.fnUntraced(function*(user: UserPrincipal, row: PublishRequestRow, at: Date) {
        const org = user.org_id
        const isWorkflow = row.subject_type === "workflow"
        // A workflow has one live version, so its publication for another audience ends too.
        const earlier = yield* isWorkflow ? repository.activeOf(org, row.subject_id) : repository.activeLike(org, row)
        if (Option.isSome(earlier)) {
          yield* repository.revoke(org, earlier.value, user.user_id, at)
          yield* audit.record(org, actorOf(user), {
            action: "publication.revoked",
            subject: { type: "publication", id: earlier.value },
            ...agentOf(row),
            data: { reason: "replaced", publish_request_id: row.id }
          })
        }
        const id = newId("pub")
        yield* repository.publish(org, id, row.id, at)
        if (isWorkflow && row.version_id !== null) {
          const live = { id: row.subject_id, version_id: row.version_id }
          yield* workflows.goLive(org, actorOf(user), live, at)
        }
        return { publication_id: id }
      })

      const decide = Effect.fn("Publishing.decide")(
        function*(caller: UserPrincipal, id: string, { comment, status }: DecidePublishRequestInput) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          const row = yield* findRequest(user, id)
          const hasOther = yield* repository.hasOtherReviewer(org, user.user_id, reviewerRoles)
          const refusal = decisionRefusal(user, row, status, hasOther)
          if (refusal !== undefined) return yield* Effect.fail(refusal)
          if (status === "withdrawn") yield* needsScope(user, publishPermission[row.subject_type])
          if (row.status !== "pending") {
            const { decided_at, decided_by } = toRequest(row)
            return yield* Effect.fail(
              alreadyDecided("publish request", {
                status: row.status,
                ...(decided_by === undefined ? {} : { decided_by }),
                ...(decided_at === undefined ? {} : { decided_at })
              })
            )
          }
          yield* repository.decide(org, id, { status, comment: comment ?? null, by: user.user_id, at })
          const published = status === "approved" ? yield* publish(user, row, at) : {}
          yield* audit.record(org, actorOf(user), {
            action: `publish_request.${status}`,
            subject: { type: "publish_request", id },
            ...agentOf(row),
            data: published
          })
          return toRequest(yield* findRequest(user, id))
        },
        db.transaction
      )

      const revoke = Effect.fn("Publishing.revoke")(function*(caller: UserPrincipal, id: string) {
        const org = caller.org_id
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(org)
        const found = yield* repository.findPublication(org, id)
        const row = Option.getOrUndefined(
          Option.filter(found, (publication) => isReadable(publication, readerOf(user)))
        )
        if (row === undefined) return yield* Effect.fail(notFound("publication"))
        if (!user.permissions.has("publish:review")) {
          if (row.published_by !== user.user_id) {
            return yield* Effect.fail(
              forbidden("Only its publisher or a reviewer can revoke a publication.", { permission: "publish:review" })
            )
          }
          yield* needsScope(user, publishPermission[row.subject_type])
        }
        if (row.status === "revoked") {
          return yield* Effect.fail(conflict("conflict", "The publication is already revoked.", { status: "revoked" }))
        }
        yield* repository.revoke(org, id, user.user_id, at)
        yield* audit.record(org, actorOf(user), {
          action: "publication.revoked",
          subject: { type: "publication", id },
          ...agentOf(row),
          data: { publish_request_id: row.request_id }
        })
        if (row.subject_type === "workflow") yield* workflows.endLive(org, actorOf(user), row.subject_id, at)
        return toPublication({ ...row, status: "revoked", revoked_at: at })
      }, db.transaction)

      return Publishing.of({
        publishAgent,
        requestWorkflow,
        revokeWorkflow,
        endWorkflow,
        decide,
        revoke,
        requests: Effect.fn("Publishing.requests")(function*(user, { cursor, limit, status }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("pbr")])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.requests(user.org_id, {
            by: ownerFilter(user),
            status,
            before,
            limit: limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, limit, ({ id }) => [id])
          return { data: data.map(toRequest), next_cursor, as_of }
        }),
        request: Effect.fn("Publishing.request")(function*(user, id) {
          return toRequest(yield* findRequest(user, id))
        }),
        publications: Effect.fn("Publishing.publications")(function*(user, { cursor, limit, status }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("pub")])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.publications(user.org_id, {
            reader: readerOf(user),
            status,
            before,
            limit: limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, limit, ({ id }) => [id])
          return { data: data.map(toPublication), next_cursor, as_of }
        }),
        listings: Effect.fn("Publishing.listings")(function*(user, { category, cursor, limit, q }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("pub")])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.listings({ text: q, category, before, limit: limit ?? pageLimitDefault })
          return { ...toPage(rows, limit, ({ id }) => [id]), as_of }
        })
      })
    })
  )
}

/** The reader of a list; undefined: the person sees all publications of the workspace. */
const readerOf = (user: UserPrincipal): SharedReader | undefined => {
  const teams = teamFilter(user)
  return teams === undefined ? undefined : { user: user.user_id, teams }
}

/** Whether a person may see a publication; `reader` is a member. */
const isReadable = (row: PublicationRow, reader: SharedReader | undefined): boolean =>
  reader === undefined || row.published_by === reader.user ||
  (row.status === "active" && row.workflow_visibility !== "private" &&
    (row.scope === "org" || (row.team_id !== null && reader.teams.includes(row.team_id))))

/** Entries about an agent name it, so that its owner receives their events. */
const agentOf = ({ subject_id, subject_type }: Pick<PublicationRow, "subject_id" | "subject_type">) =>
  subject_type === "agent" ? { agent_id: subject_id as AgentId } : {}

const targetOf = (row: PublishRequestRow | PublicationRow) => ({
  subject: { type: row.subject_type, id: row.subject_id },
  ...(row.version_id === null ? {} : { version_id: row.version_id }),
  scope: row.scope,
  ...(row.team_id === null ? {} : { team_id: row.team_id }),
  listed: row.listed,
  name: row.name,
  description: row.description,
  icon: row.icon,
  category: row.category
})

const toRequest = (row: PublishRequestRow): PublishRequest => ({
  id: row.id,
  ...targetOf(row),
  ...(row.note === null ? {} : { note: row.note }),
  status: row.status,
  requested_by: { id: row.requested_by, name: row.requested_by_name },
  ...(row.decided_by === null ? {} : { decided_by: { id: row.decided_by, name: row.decided_by_name ?? "" } }),
  ...(row.comment === null ? {} : { comment: row.comment }),
  created_at: row.created_at.toISOString(),
  ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() }),
  ...(row.publication_id === null ? {} : { publication_id: row.publication_id })
})

const toPublication = (row: PublicationRow): Publication => ({
  id: row.id,
  ...targetOf(row),
  status: row.status,
  publish_request_id: row.request_id,
  published_by: { id: row.published_by, name: row.published_by_name },
  published_at: row.published_at.toISOString(),
  ...(row.revoked_at === null ? {} : { revoked_at: row.revoked_at.toISOString() })
})
