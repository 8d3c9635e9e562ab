/** Services that workspaces declared, and their settings of shipped services. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface OwnServiceRow {
  readonly name: string
  readonly enabled: boolean
  readonly version: number
  /** SHA-256 of the definition, in hex. */
  readonly digest: string
}

export interface DefinitionRow extends OwnServiceRow {
  /** JSON text. */
  readonly definition: string
}

export interface SettingsRow {
  readonly name: string
  readonly enabled: boolean | null
  /** JSON text of `{ [operation]: price }`. */
  readonly prices: string | null
  readonly version: number
}

export class CatalogRepository extends Context.Service<CatalogRepository, {
  readonly own: (org: OrgId) => Effect.Effect<ReadonlyArray<OwnServiceRow>>
  readonly definitions: (org: OrgId, names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DefinitionRow>>
  readonly find: (org: OrgId, name: string) => Effect.Effect<Option.Option<DefinitionRow>>
  readonly settings: (org: OrgId) => Effect.Effect<ReadonlyArray<SettingsRow>>
  /** False when the name is in use. */
  readonly insert: (org: OrgId, name: string, definition: string, enabled: boolean) => Effect.Effect<boolean>
  readonly update: (org: OrgId, name: string, definition: string, enabled: boolean) => Effect.Effect<void>
  readonly remove: (org: OrgId, name: string) => Effect.Effect<void>
  /** Raises the version; a new row has version 1. */
  readonly putSettings: (org: OrgId, settings: Omit<SettingsRow, "version">) => Effect.Effect<void>
  /** Whether the service has requests that are not settled. */
  readonly inUse: (org: OrgId, name: string) => Effect.Effect<boolean>
}>()("@countersign/hub/catalog/CatalogRepository") {
  static readonly layer = Layer.effect(
    CatalogRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const digest = sql`encode(sha256(convert_to(definition, 'UTF8')), 'hex') as digest`
      return CatalogRepository.of({
        own: (org) =>
          sql<
            OwnServiceRow
          >`select name, enabled, version, ${digest} from services where org_id = ${org} order by name collate "C"`
            .pipe(
              Effect.orDie
            ),
        definitions: (org, names) =>
          names.length === 0
            ? Effect.succeed([])
            : sql<DefinitionRow>`select name, enabled, version, ${digest}, definition from services
            where org_id = ${org} and name = any(${[...names]}::text[])`.pipe(Effect.orDie),
        find: (org, name) =>
          sql<DefinitionRow>`select name, enabled, version, ${digest}, definition from services
          where org_id = ${org} and name = ${name}`
            .pipe(
              Effect.map(([row]) => Option.fromNullishOr(row)),
              Effect.orDie
            ),
        settings: (org) =>
          sql<SettingsRow>`select name, enabled, prices, version from service_settings where org_id = ${org}`.pipe(
            Effect.orDie
          ),
        insert: (org, name, definition, enabled) =>
          sql`insert into services (org_id, name, definition, enabled) values (${org}, ${name}, ${definition}, ${enabled})
          on conflict (org_id, name) do nothing returning name`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        update: (org, name, definition, enabled) =>
          sql`update services set definition = ${definition}, enabled = ${enabled}, version = version + 1, updated_at = now()
          where org_id = ${org} and name = ${name}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        remove: (org, name) =>
          sql`delete from services where org_id = ${org} and name = ${name}`.pipe(Effect.asVoid, Effect.orDie),
        putSettings: (org, { enabled, name, prices }) =>
          sql`insert into service_settings (org_id, name, enabled, prices, version) values (${org}, ${name}, ${enabled}, ${prices}, 2)
          on conflict (org_id, name) do update set enabled = excluded.enabled, prices = excluded.prices,
            version = service_settings.version + 1, updated_at = now()`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        inUse: (org, name) =>
          sql<
            { used: boolean }
          >`select exists (select 1 from holds where org_id = ${org} and service = ${name}) as used`.pipe(
            Effect.map(([row]) => row?.used === true),
            Effect.orDie
          )
      })
    })
  )
}
