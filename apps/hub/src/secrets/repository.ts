/** Sealed values by name. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface SecretRow {
  readonly name: string
  readonly created_at: Date
  readonly updated_at: Date
}

export class SecretsRepository extends Context.Service<SecretsRepository, {
  /** In order of name; returns one more than `limit` when there are more. */
  readonly list: (org: OrgId, after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<SecretRow>>
  readonly sealed: (org: OrgId, name: string) => Effect.Effect<Option.Option<Uint8Array>>
  /** Those of the names that exist. */
  readonly existing: (org: OrgId, names: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  readonly count: (org: OrgId) => Effect.Effect<number>
  readonly put: (
    org: OrgId,
    name: string,
    sealed: Uint8Array
  ) => Effect.Effect<SecretRow & { readonly is_new: boolean }>
  /** False when it does not exist. */
  readonly remove: (org: OrgId, name: string) => Effect.Effect<boolean>
}>()("@countersign/hub/secrets/SecretsRepository") {
  static readonly layer = Layer.effect(
    SecretsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return SecretsRepository.of({
        list: (org, after, limit) =>
          sql<
            SecretRow
          >`select name, created_at, updated_at from secrets where org_id = ${org} and name collate "C" > ${after ?? ""}
          order by name collate "C" limit ${limit + 1}`.pipe(Effect.orDie),
        sealed: (org, name) =>
          sql<{ sealed: Uint8Array }>`select sealed from secrets where org_id = ${org} and name = ${name}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row?.sealed)),
            Effect.orDie
          ),
        existing: (org, names) =>
          names.length === 0
            ? Effect.succeed(new Set())
            : sql<{ name: string }>`select name from secrets where org_id = ${org} and name = any(${[
              ...names
            ]}::text[])`.pipe(
              Effect.map((rows) => new Set(rows.map(({ name }) => name))),
              Effect.orDie
            ),
        count: (org) =>
          sql<{ n: number }>`select count(*) as n from secrets where org_id = ${org}`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        put: (org, name, sealed) =>
          sql<
            SecretRow & { is_new: boolean }
          >`insert into secrets (org_id, name, sealed) values (${org}, ${name}, ${sealed})
          on conflict (org_id, name) do update set sealed = excluded.sealed, updated_at = now()
          returning name, created_at, updated_at, xmax = 0 as is_new`.pipe(
            Effect.flatMap(([row]) =>
              row === undefined ? Effect.die("an upsert answered no row") : Effect.succeed(row)
            ),
            Effect.orDie
          ),
        remove: (org, name) =>
          sql`delete from secrets where org_id = ${org} and name = ${name} returning name`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
      })
    })
  )
}
