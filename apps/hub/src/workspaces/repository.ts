/** Workspaces and their members. */
import type { Role } from "@countersign/domain/auth"
import { newId, type OrgId } from "@countersign/domain/ids"
import type { Workspace, WorkspacePatch } from "@countersign/domain/workspaces"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Kinds of `limits` that every workspace has from its creation. */
const accountKinds = { wallet: 1, revenue: 8, external: 9 } as const

interface Row {
  readonly id: OrgId
  readonly name: string
  readonly role: Role
  readonly frozen: boolean
  readonly approval_threshold_cents: number
  readonly approval_life_seconds: number
  readonly separation_of_duties: boolean
  readonly retention_days: number | null
  readonly device_output_days: number
  readonly alert_levels: ReadonlyArray<number>
  readonly step_up_cents: number | null
  readonly second_factor: Workspace["second_factor"]
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The settings of a patch. */
export type WorkspaceSettings = Omit<WorkspacePatch, "expected_version">

const toWorkspace = (row: Row): Workspace => ({
  id: row.id,
  name: row.name,
  role: row.role,
  frozen: row.frozen,
  approval_threshold_cents: row.approval_threshold_cents,
  approval_life_seconds: row.approval_life_seconds,
  separation_of_duties: row.separation_of_duties,
  ...(row.retention_days === null ? {} : { retention_days: row.retention_days }),
  device_output_days: row.device_output_days,
  alert_levels: row.alert_levels,
  ...(row.step_up_cents === null ? {} : { step_up_cents: row.step_up_cents }),
  second_factor: row.second_factor,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

export class WorkspacesRepository extends Context.Service<WorkspacesRepository, {
  /**
   * Creates a workspace with its lock, its audit head, and its three accounts, without members. Call it inside a
   * transaction.
   */
  readonly createOrg: (name: string) => Effect.Effect<OrgId>
  readonly addMember: (org: OrgId, user: string, role: Role) => Effect.Effect<void>
  /** Makes a person a member of every existing workspace; returns their ids. */
  readonly addToAll: (user: string, role: Role) => Effect.Effect<ReadonlyArray<OrgId>>
  /**
   * Makes it the active workspace of a session, without a team if it was not active before. False when the session is
   * gone or its person is not a member.
   */
  readonly enter: (org: OrgId, session: string) => Effect.Effect<boolean>
  /** A workspace as one of its members sees it; undefined when the person is not a member. */
  readonly find: (org: OrgId, user: string) => Effect.Effect<Workspace | undefined>
  /** The workspaces of a person, or `only` one of them, newest first, after the given id. */
  readonly list: (
    user: string,
    only: string | undefined,
    after: string | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Workspace>>
  readonly names: (
    user: string
  ) => Effect.Effect<ReadonlyArray<{ readonly id: OrgId; readonly name: string; readonly role: Role }>>
  readonly update: (org: OrgId, settings: WorkspaceSettings) => Effect.Effect<void>
}>()("@countersign/hub/workspaces/WorkspacesRepository") {
  static readonly layer = Layer.effect(
    WorkspacesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`o.id, o.name, m.role, o.frozen, o.approval_threshold_cents, o.approval_life_seconds,
        o.separation_of_duties,
      o.retention_days, o.device_output_days, o.alert_levels, o.step_up_cents, o.second_factor, o.version, o.created_at, o.updated_at`
      const big = (value: number | null) => value === null ? null : BigInt(value)

      return WorkspacesRepository.of({
        createOrg: Effect.fn("WorkspacesRepository.createOrg")(function*(name) {
          const id = newId("org") as OrgId
          yield* sql`insert into orgs (id, name) values (${id}, ${name})`
          yield* sql`insert into org_heads (org_id) values (${id})`
          yield* sql`insert into limits (org_id, kind, cap) values
          (${id}, ${accountKinds.wallet}, 0), (${id}, ${accountKinds.revenue}, null), (${id}, ${accountKinds.external}, null)`
          return id
        }, Effect.orDie),
        addMember: (org, user, role) =>
          Effect.orDie(sql`insert into memberships (org_id, user_id, role) values (${org}, ${user}, ${role})`),
        addToAll: (user, role) =>
          sql<{ org_id: OrgId }>`insert into memberships (org_id, user_id, role) select id, ${user}, ${role} from orgs
          on conflict (org_id, user_id) do update set role = excluded.role returning org_id`.pipe(
            Effect.map((rows) => rows.map((row) => row.org_id).sort()),
            Effect.orDie
          ),
        enter: (org, session) =>
          sql`update sessions s set org_id = ${org}, team_id = case when s.org_id = ${org} then s.team_id end
          from memberships m
          where s.id = ${session} and m.org_id = ${org} and m.user_id = s.user_id returning 1`.pipe(
            Effect.map((rows) => rows.length === 1),
            Effect.orDie
          ),
        find: (org, user) =>
          sql<
            Row
          >`select ${columns} from orgs o join memberships m on m.org_id = o.id and m.user_id = ${user} where o.id = ${org}`
            .pipe(
              Effect.map(([row]) => row === undefined ? undefined : toWorkspace(row)),
              Effect.orDie
            ),
        list: (user, only, after, limit) =>
          sql<Row>`select ${columns} from orgs o join memberships m on m.org_id = o.id where m.user_id = ${user}
          and ${only === undefined ? sql`true` : sql`o.id = ${only}`}
          and ${after === undefined ? sql`true` : sql`o.id < ${after}`} order by o.id desc limit ${limit}`.pipe(
            Effect.map((rows) => rows.map(toWorkspace)),
            Effect.orDie
          ),
        names: (user) =>
          Effect.orDie(sql<{ id: OrgId; name: string; role: Role }>`select o.id, o.name, m.role from memberships m
          join orgs o on o.id = m.org_id where m.user_id = ${user} order by o.id desc`),
        update: (org, patch) => {
          const sets = [
            ...(patch.name === undefined ? [] : [sql`name = ${patch.name}`]),
            ...(patch.frozen === undefined ? [] : [sql`frozen = ${patch.frozen}`]),
            ...(patch.approval_threshold_cents === undefined
              ? []
              : [sql`approval_threshold_cents = ${big(patch.approval_threshold_cents)}::bigint`]),
            ...(patch.approval_life_seconds === undefined
              ? []
              : [sql`approval_life_seconds = ${patch.approval_life_seconds}`]),
            ...(patch.separation_of_duties === undefined
              ? []
              : [sql`separation_of_duties = ${patch.separation_of_duties}`]),
            ...(patch.retention_days === undefined ? [] : [sql`retention_days = ${patch.retention_days}::int`]),
            ...(patch.device_output_days === undefined ? [] : [sql`device_output_days = ${patch.device_output_days}`]),
            ...(patch.alert_levels === undefined ? [] : [sql`alert_levels = ${patch.alert_levels}::int[]`]),
            ...(patch.step_up_cents === undefined ? [] : [sql`step_up_cents = ${big(patch.step_up_cents)}::bigint`]),
            ...(patch.second_factor === undefined ? [] : [sql`second_factor = ${patch.second_factor}`])
          ]
          return Effect.orDie(
            sql`update orgs set ${
              sql.csv([...sets, sql`version = version + 1`, sql`updated_at = now()`])
            } where id = ${org}`
          )
        }
      })
    })
  )
}
