/** Publish requests, publications, and the listings of the marketplace. */
import type { AgentId, OrgId, PublicationId, PublishRequestId, TeamId, UserId } from "@countersign/domain/ids"
import type {
  Listing,
  PublicationStatus,
  PublishedKind,
  PublishRequestStatus,
  PublishScope
} from "@countersign/domain/publishing"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { likePattern, textArray } from "../platform/db.ts"
import { shownName } from "../platform/shown-name.ts"

/** A subject and its audience. */
interface Target {
  readonly subject_type: PublishedKind
  readonly subject_id: string
  readonly version_id: string | null
  readonly scope: PublishScope
  readonly team_id: TeamId | null
  readonly listed: boolean
  readonly name: string
  readonly description: string
  readonly icon: string | null
  readonly category: string | null
}

export interface PublishRequestRow extends Target {
  readonly id: PublishRequestId
  readonly note: string | null
  /** A pending request of a deleted agent or team reads as `withdrawn`. */
  readonly status: PublishRequestStatus
  readonly requested_by: UserId
  readonly requested_by_name: string
  readonly decided_by: UserId | null
  readonly decided_by_name: string | null
  readonly comment: string | null
  readonly created_at: Date
  readonly decided_at: Date | null
  readonly publication_id: PublicationId | null
}

export interface PublicationRow extends Target {
  readonly id: PublicationId
  readonly request_id: PublishRequestId
  /** The publication of a deleted agent or team reads as `revoked`. */
  readonly status: PublicationStatus
  readonly published_by: UserId
  readonly published_by_name: string
  readonly published_at: Date
  readonly revoked_at: Date | null
  /** Of a workflow; null for an agent. */
  readonly workflow_visibility: "private" | "team" | "org" | null
}

export interface NewPublishRequest extends Target {
  readonly id: PublishRequestId
  readonly note: string | null
  readonly requested_by: string
  readonly created_at: Date
}

/** A member sees their own requests, and publications that are shared with them. */
export interface SharedReader {
  readonly user: string
  readonly teams: ReadonlyArray<string>
}

interface Range {
  readonly before: string | undefined
  readonly limit: number
}

export interface PublishedOrphan {
  readonly org_id: OrgId
  readonly kind: "publish_request" | "publication"
  readonly id: string
  readonly agent_id: AgentId | null
  /** The workflow of a publication: its live version ends with it. */
  readonly workflow_id: string | null
  readonly reason: "agent_deleted" | "team_deleted"
}

export class PublishingRepository extends Context.Service<PublishingRepository, {
  readonly insert: (org: OrgId, request: NewPublishRequest) => Effect.Effect<void>
  readonly hasPending: (
    org: OrgId,
    target: Pick<Target, "subject_type" | "subject_id" | "team_id">
  ) => Effect.Effect<boolean>
  /** The pending request of a workflow. */
  readonly pendingOf: (org: OrgId, workflow: string) => Effect.Effect<Option.Option<PublishRequestId>>
  /** The active publication of a workflow. */
  readonly activeOf: (org: OrgId, workflow: string) => Effect.Effect<Option.Option<PublicationId>>
  readonly findRequest: (org: OrgId, id: string) => Effect.Effect<Option.Option<PublishRequestRow>>
  /** Newest first; returns one more than `limit` when there are more. `by`: only those of this person. */
  readonly requests: (
    org: OrgId,
    filter: Range & { readonly by: string | undefined; readonly status: PublishRequestStatus | undefined }
  ) => Effect.Effect<ReadonlyArray<PublishRequestRow>>
  /** Ends a pending request; false when another call did before. Call it under the workspace's lock. */
  readonly decide: (
    org: OrgId,
    id: string,
    decision: {
      readonly status: Exclude<PublishRequestStatus, "pending">
      /** Null: the hub. */
      readonly by: string | null
      readonly comment: string | null
      readonly at: Date
    }
  ) => Effect.Effect<boolean>
  /** Whether the workspace has a reviewer besides this person. */
  readonly hasOtherReviewer: (org: OrgId, user: string, roles: ReadonlyArray<string>) => Effect.Effect<boolean>
  /** Publishes the subject of a request. Call it under the workspace's lock. */
  readonly publish: (org: OrgId, id: PublicationId, request: string, at: Date) => Effect.Effect<void>
  /** The active publication of the same subject for the same audience. */
  readonly activeLike: (
    org: OrgId,
    target: Pick<Target, "subject_type" | "subject_id" | "team_id">
  ) => Effect.Effect<Option.Option<PublicationId>>
  readonly findPublication: (org: OrgId, id: string) => Effect.Effect<Option.Option<PublicationRow>>
  /** Newest first; returns one more than `limit` when there are more. `reader`: a member. */
  readonly publications: (
    org: OrgId,
    filter: Range & { readonly reader: SharedReader | undefined; readonly status: PublicationStatus | undefined }
  ) => Effect.Effect<ReadonlyArray<PublicationRow>>
  /** Revokes an active publication; false when another call did before. `by` null: the hub. */
  readonly revoke: (org: OrgId, id: string, by: string | null, at: Date) => Effect.Effect<boolean>
  /** Listed publications of every workspace, newest first; returns one more than `limit` when there are more. */
  readonly listings: (
    filter: Range & { readonly text: string | undefined; readonly category: string | undefined }
  ) => Effect.Effect<ReadonlyArray<Listing>>
  /** Pending requests and active publications of deleted agents and teams, in all workspaces. */
  readonly orphans: (limit: number) => Effect.Effect<ReadonlyArray<PublishedOrphan>>
}>()("@countersign/hub/publishing/PublishingRepository") {
  static readonly layer = Layer.effect(
    PublishingRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const isGone = sql`(a.deleted_at is not null or t.deleted_at is not null)`
      const lost = sql`(case when a.deleted_at is not null then 'agent_deleted' else 'team_deleted' end)`
      const requestStatus = sql`(case when r.status = 'pending' and ${isGone} then 'withdrawn' else r.status end)`
      const publicationStatus = sql`(case when p.revoked_at is not null or ${isGone} then 'revoked' else 'active' end)`
      const texts = sql`r.subject_type, r.subject_id, r.version_id, r.scope, r.team_id, r.listed, r.name, r.description,
        r.icon, r.category`
      const requestRows = (org: OrgId) =>
        sql`select r.id, ${texts}, r.note, ${requestStatus} as status, r.requested_by, ${
          shownName(sql, "u")
        } as requested_by_name,
          r.decided_by, ${
          shownName(sql, "d")
        } as decided_by_name, r.comment, r.created_at, r.decided_at, p.id as publication_id
        from publish_requests r join users u on u.id = r.requested_by
        left join users d on d.id = r.decided_by
        left join publications p on p.request_id = r.id
        left join agents a on r.subject_type = 'agent' and a.id = r.subject_id
        left join teams t on t.id = r.team_id
        where r.org_id = ${org}`
      const publicationRows = (org: OrgId) =>
        sql`select p.id, p.request_id, ${texts}, ${publicationStatus} as status, r.requested_by as published_by,
          ${shownName(sql, "u")} as published_by_name, p.published_at, p.revoked_at,
          w.visibility as workflow_visibility
        from publications p join publish_requests r on r.id = p.request_id join users u on u.id = r.requested_by
        left join agents a on p.subject_type = 'agent' and a.id = p.subject_id
        left join workflows w on p.subject_type = 'workflow' and w.id = p.subject_id
        left join teams t on t.id = p.team_id
        where p.org_id = ${org}`
      const first = <A>(rows: ReadonlyArray<A>): Option.Option<A> => Option.fromNullishOr(rows[0])
      return PublishingRepository.of({
        insert: (org, request) =>
          sql`insert into publish_requests ${sql.insert({ ...request, org_id: org })}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        hasPending: (org, { subject_id, subject_type, team_id }) =>
          sql`select 1 from publish_requests where org_id = ${org} and subject_type = ${subject_type}
            and subject_id = ${subject_id} and coalesce(team_id, '') = ${team_id ?? ""} and status = 'pending'`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        pendingOf: (org, workflow) =>
          sql<{ id: PublishRequestId }>`select id from publish_requests
          where org_id = ${org} and subject_type = 'workflow' and subject_id = ${workflow} and status = 'pending'`.pipe(
            Effect.map((rows) => Option.map(first(rows), ({ id }) => id)),
            Effect.orDie
          ),
        activeOf: (org, workflow) =>
          sql<{ id: PublicationId }>`select id from publications
          where org_id = ${org} and subject_type = 'workflow' and subject_id = ${workflow} and revoked_at is null`.pipe(
            Effect.map((rows) => Option.map(first(rows), ({ id }) => id)),
            Effect.orDie
          ),
        findRequest: (org, id) =>
          sql<PublishRequestRow>`${requestRows(org)} and r.id = ${id}`.pipe(Effect.map(first), Effect.orDie),
        requests: (org, { before, by, limit, status }) => {
          const conditions = sql.and([
            sql`true`,
            ...(by === undefined ? [] : [sql`r.requested_by = ${by}`]),
            ...(status === undefined ? [] : [sql`${requestStatus} = ${status}`]),
            ...(before === undefined ? [] : [sql`r.id < ${before}`])
          ])
          return sql<PublishRequestRow>`${requestRows(org)} and ${conditions} order by r.id desc limit ${limit + 1}`
            .pipe(Effect.orDie)
        },
        decide: (org, id, { at, by, comment, status }) =>
          sql`update publish_requests set status = ${status}, decided_by = ${by}, comment = ${comment}, decided_at = ${at}
          where org_id = ${org} and id = ${id} and status = 'pending' returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        hasOtherReviewer: (org, user, roles) =>
          sql`select 1 from memberships where org_id = ${org} and user_id <> ${user} and role = any(${textArray(roles)})
          limit 1`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
        publish: (org, id, request, at) =>
          sql`insert into publications (id, org_id, request_id, published_at, subject_type, subject_id, scope, team_id, listed)
          select ${id}, r.org_id, r.id, ${at}, r.subject_type, r.subject_id, r.scope, r.team_id, r.listed
          from publish_requests r where r.org_id = ${org} and r.id = ${request}`.pipe(Effect.asVoid, Effect.orDie),
        activeLike: (org, { subject_id, subject_type, team_id }) =>
          sql<
            { id: PublicationId }
          >`select id from publications where org_id = ${org} and subject_type = ${subject_type}
            and subject_id = ${subject_id} and coalesce(team_id, '') = ${team_id ?? ""} and revoked_at is null`.pipe(
            Effect.map((rows) => Option.map(first(rows), ({ id }) => id)),
            Effect.orDie
          ),
        findPublication: (org, id) =>
          sql<PublicationRow>`${publicationRows(org)} and p.id = ${id}`.pipe(Effect.map(first), Effect.orDie),
        publications: (org, { before, limit, reader, status }) => {
          const conditions = sql.and([
            sql`true`,
            ...(reader === undefined ? [] : [
              sql`(r.requested_by = ${reader.user} or (${publicationStatus} = 'active'
                and (p.scope = 'org' or p.team_id = any(${textArray(reader.teams)}))
                and coalesce(w.visibility, 'org') <> 'private'))`
            ]),
            ...(status === undefined ? [] : [sql`${publicationStatus} = ${status}`]),
            ...(before === undefined ? [] : [sql`p.id < ${before}`])
          ])
          return sql<PublicationRow>`${publicationRows(org)} and ${conditions} order by p.id desc limit ${limit + 1}`
            .pipe(Effect.orDie)
        },
        revoke: (org, id, by, at) =>
          sql`update publications set revoked_at = ${at}, revoked_by = ${by}
          where org_id = ${org} and id = ${id} and revoked_at is null returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        listings: ({ before, category, limit, text }) => {
          const like = likePattern(text ?? "")
          const conditions = sql.and([
            sql`p.listed and p.revoked_at is null and a.deleted_at is null`,
            ...(text === undefined || text === "" ? [] : [sql`(r.name ilike ${like} or r.description ilike ${like})`]),
            ...(category === undefined ? [] : [sql`lower(r.category) = lower(${category})`]),
            ...(before === undefined ? [] : [sql`p.id < ${before}`])
          ])
          return sql<
            Listing
          >`select p.id, r.subject_type as kind, r.name, r.description, r.icon, r.category, o.name as publisher
          from publications p join publish_requests r on r.id = p.request_id join orgs o on o.id = p.org_id
          left join agents a on p.subject_type = 'agent' and a.id = p.subject_id
          where ${conditions} order by p.id desc limit ${limit + 1}`.pipe(Effect.orDie)
        },
        orphans: (limit) =>
          sql<PublishedOrphan>`(select r.org_id, 'publish_request' as kind, r.id, a.id as agent_id,
            null as workflow_id, ${lost} as reason
            from publish_requests r
            left join agents a on r.subject_type = 'agent' and a.id = r.subject_id
            left join teams t on t.id = r.team_id
            where r.status = 'pending' and ${isGone} limit ${limit})
          union all
          (select p.org_id, 'publication', p.id, a.id,
            case when p.subject_type = 'workflow' then p.subject_id end, ${lost}
            from publications p
            left join agents a on p.subject_type = 'agent' and a.id = p.subject_id
            left join teams t on t.id = p.team_id
            where p.revoked_at is null and ${isGone} limit ${limit})`.pipe(Effect.orDie)
      })
    })
  )
}
