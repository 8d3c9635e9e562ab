/** Webhook endpoints, and the positions in the log up to which they have their deliveries. */
import type { OrgId, WebhookEndpointId } from "@countersign/domain/ids"
import type { DisabledBy, WebhookEndpointStatus } from "@countersign/domain/webhook-endpoints"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SealedSecrets } from "./secrets.ts"

export interface EndpointRow extends SealedSecrets {
  readonly id: WebhookEndpointId
  readonly org_id: OrgId
  readonly url: string
  readonly description: string
  /** null: all. */
  readonly types: ReadonlyArray<string> | null
  readonly status: WebhookEndpointStatus
  readonly disabled_by: DisabledBy | null
  readonly disabled_at: Date | null
  readonly failures: number
  readonly failing_since: Date | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

export interface NewEndpoint extends Pick<EndpointRow, "url" | "description" | "types" | "secret"> {
  readonly id: string
}

export type EndpointChange = Pick<
  EndpointRow,
  "url" | "description" | "types" | "status" | "disabled_by" | "disabled_at" | "failures" | "failing_since"
>

export class WebhookEndpointsRepository extends Context.Service<WebhookEndpointsRepository, {
  readonly insert: (org: OrgId, endpoint: NewEndpoint, at: Date) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<EndpointRow>>
  /** Newest first, one more than `limit`. */
  readonly list: (org: OrgId, before: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<EndpointRow>>
  readonly count: (org: OrgId) => Effect.Effect<number>
  readonly update: (org: OrgId, id: string, change: Partial<EndpointChange>, at: Date) => Effect.Effect<void>
  /** The present secret becomes the previous one until a moment; null: it ends at once. */
  readonly rotate: (org: OrgId, id: string, secret: Uint8Array, until: Date | null, at: Date) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  /** Events after `seq` get deliveries. */
  readonly placeCursor: (org: OrgId, id: string, seq: number) => Effect.Effect<void>
  /** Moves the cursor back to before a moment; returns the number of entries that it passes again. */
  readonly rewind: (org: OrgId, id: string, since: Date) => Effect.Effect<number>
}>()("@countersign/hub/webhook-endpoints/WebhookEndpointsRepository") {
  static readonly layer = Layer.effect(
    WebhookEndpointsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        `id, org_id, url, description, types, status, disabled_by, disabled_at, secret, previous_secret, previous_until,
          failures, failing_since, version, created_at, updated_at`
      )
      return WebhookEndpointsRepository.of({
        insert: (org, endpoint, at) =>
          sql`insert into webhook_endpoints ${
            sql.insert({ org_id: org, ...endpoint, status: "enabled", created_at: at, updated_at: at })
          }`.pipe(Effect.asVoid, Effect.orDie),
        find: (org, id) =>
          sql<EndpointRow>`select ${columns} from webhook_endpoints
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, before, limit) =>
          sql<EndpointRow>`select ${columns} from webhook_endpoints
          where org_id = ${org} and deleted_at is null and ${
            before === undefined ? sql`true` : sql`id < ${before}`
          } order by id desc limit ${limit + 1}`.pipe(Effect.orDie),
        count: (org) =>
          sql<{ n: number }>`select count(*)::int as n from webhook_endpoints
          where org_id = ${org} and deleted_at is null`.pipe(Effect.map(([row]) => row?.n ?? 0), Effect.orDie),
        update: (org, id, change, at) =>
          sql`update webhook_endpoints set ${sql.update({ ...change })}, version = version + 1, updated_at = ${at}
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        rotate: (org, id, secret, until, at) =>
          sql`update webhook_endpoints set previous_secret = ${
            until === null ? sql`null` : sql`secret`
          }, previous_until = ${until}, secret = ${secret}, updated_at = ${at}
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        remove: (org, id, at) =>
          sql`update webhook_endpoints set deleted_at = ${at}, updated_at = ${at}, secret = ''::bytea,
            previous_secret = null, previous_until = null
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        placeCursor: (org, id, seq) =>
          sql`insert into webhook_cursors (endpoint_id, org_id, seq) values (${id}, ${org}, ${BigInt(seq)}::int8)
          on conflict (endpoint_id) do update set seq = excluded.seq`.pipe(Effect.asVoid, Effect.orDie),
        // Times rise with seq, so halving finds the last entry before the moment.
        rewind: (org, id, since) =>
          sql<{ entries: number }>`with recursive search(low, high) as (
            select 0::bigint, seq from org_heads where org_id = ${org}
            union all
            select case when e.created_at < ${since} then e.seq else s.low end,
              case when e.created_at < ${since} then s.high else e.seq - 1 end
            from search s join audit e on e.org_id = ${org} and e.seq = (s.low + s.high + 1) / 2
            where s.low < s.high),
          found as (select low as seq from search where low = high),
          before as (select seq from webhook_cursors where org_id = ${org} and endpoint_id = ${id} for update)
          update webhook_cursors c set seq = least(b.seq, f.seq) from found f, before b
          where c.org_id = ${org} and c.endpoint_id = ${id} returning b.seq - c.seq as entries`.pipe(
            Effect.map(([row]) => row?.entries ?? 0),
            Effect.orDie
          )
      })
    })
  )
}
