/** Promo codes of the hub, and the workspaces that redeemed them. */
import type { OrgId, PromoCodeId } from "@countersign/domain/ids"
import { type CreatePromoCodeInput, promoKey } from "@countersign/domain/promo"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface PromoCodeRow {
  readonly id: PromoCodeId
  readonly code: string
  readonly amount_cents: number
  readonly max_redemptions: number | null
  readonly redemptions: number
  readonly expires_at: Date | null
  readonly created_at: Date
}

export class PromoRepository extends Context.Service<PromoRepository, {
  /** The hub's first workspace that is not the demo. */
  readonly firstWorkspace: Effect.Effect<string | undefined>
  /** Newest first, without deleted codes. */
  readonly list: (before: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<PromoCodeRow>>
  /** In any case; none when it was deleted. */
  readonly find: (code: string) => Effect.Effect<Option.Option<PromoCodeRow>>
  /** None when a code of the same letters exists. */
  readonly insert: (
    code: { readonly id: string; readonly by: string; readonly at: Date; readonly input: CreatePromoCodeInput }
  ) => Effect.Effect<Option.Option<PromoCodeRow>>
  readonly remove: (id: string, at: Date) => Effect.Effect<boolean>
  readonly hasRedeemed: (org: OrgId, code: string) => Effect.Effect<boolean>
  /**
   * Counts one redemption; false when the code is exhausted, expired at this time, or deleted. Holds the code's row until
   * the end of the transaction: call it under the workspace's lock, after everything that may refuse.
   */
  readonly take: (id: string, at: Date) => Effect.Effect<boolean>
  readonly recordRedemption: (org: OrgId, redemption: {
    readonly code: PromoCodeRow
    readonly transfer: string
    readonly by: string
    readonly at: Date
  }) => Effect.Effect<void>
}>()("@countersign/hub/promo/PromoRepository") {
  static readonly layer = Layer.effect(
    PromoRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal("id, code, amount_cents, max_redemptions, redemptions, expires_at, created_at")
      return PromoRepository.of({
        firstWorkspace: sql<{ id: string }>`select o.id from orgs o
          where not exists (select 1 from demo d where d.org_id = o.id) order by o.id limit 1`.pipe(
          Effect.map(([row]) => row?.id),
          Effect.orDie
        ),
        list: (before, limit) =>
          sql<PromoCodeRow>`select ${columns} from promo_codes where deleted_at is null
          ${before === undefined ? sql`` : sql`and id < ${before}`} order by id desc limit ${limit}`.pipe(Effect.orDie),
        find: (code) =>
          sql<PromoCodeRow>`select ${columns} from promo_codes
          where code_key = ${promoKey(code)} and deleted_at is null`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        insert: ({ at, by, id, input }) =>
          sql<PromoCodeRow>`insert into promo_codes (id, code, code_key, amount_cents, max_redemptions, expires_at,
            created_by, created_at)
          values (${id}, ${input.code}, ${promoKey(input.code)}, ${BigInt(input.amount_cents)}::bigint,
            ${input.max_redemptions ?? null}::int, ${input.expires_at ?? null}::text::timestamptz, ${by}, ${at})
          on conflict (code_key) where deleted_at is null do nothing returning ${columns}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        remove: (id, at) =>
          sql`update promo_codes set deleted_at = ${at} where id = ${id} and deleted_at is null returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        hasRedeemed: (org, code) =>
          sql`select 1 from promo_redemptions where org_id = ${org} and code_key = ${promoKey(code)}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        take: (id, at) =>
          sql`update promo_codes set redemptions = redemptions + 1
          where id = ${id} and deleted_at is null and (expires_at is null or expires_at > ${at})
            and (max_redemptions is null or redemptions < max_redemptions) returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        recordRedemption: (org, { at, by, code, transfer }) =>
          sql`insert into promo_redemptions (org_id, code_key, promo_id, movement_id, amount_cents, redeemed_by, created_at)
          values (${org}, ${promoKey(code.code)}, ${code.id}, ${transfer}, ${BigInt(code.amount_cents)}::bigint, ${by},
            ${at})`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}
