/** The people of a workspace as notices need them: rights, address, and settings. */
import { type Permission, type Role, rolePermissions, teamGives, type TeamMembership } from "@countersign/domain/auth"
import type { OrgId } from "@countersign/domain/ids"
import { digestMinutesDefault } from "@countersign/domain/notice-events"
import type { Hours } from "@countersign/domain/quiet-hours"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sessionEnd } from "../auth/liveness-repository.ts"
import { teamsOf } from "../auth/team-roles-repository.ts"
import { type PlaceChanges, placesOf } from "./rules.ts"

export interface Recipient {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly time_zone: string | null
  readonly role: Role
  readonly teams: ReadonlyArray<TeamMembership>
  readonly places: ReturnType<typeof placesOf>
  readonly digestMinutes: number
  readonly quiet: Hours | undefined
  /** Whether a browser of the person is subscribed. */
  readonly hasBrowser: boolean
  readonly org: { readonly id: OrgId; readonly name: string }
}

interface Row {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly time_zone: string | null
  readonly role: Role
  readonly teams: ReadonlyArray<TeamMembership>
  readonly places: string | null
  readonly digest_minutes: number | null
  readonly quiet_from: string | null
  readonly quiet_to: string | null
  readonly has_browser: boolean
  readonly org_id: OrgId
  readonly org_name: string
}

const toRecipient = (row: Row): Recipient => ({
  id: row.id,
  name: row.name,
  email: row.email,
  time_zone: row.time_zone,
  role: row.role,
  teams: row.teams,
  places: placesOf(row.places === null ? {} : JSON.parse(row.places) as PlaceChanges),
  digestMinutes: row.digest_minutes ?? digestMinutesDefault,
  quiet: row.quiet_from === null || row.quiet_to === null ? undefined : { from: row.quiet_from, to: row.quiet_to },
  hasBrowser: row.has_browser,
  org: { id: row.org_id, name: row.org_name }
})

/** Whether a person has a permission by the role in the workspace, or in the team of an agent. */
export const has = (person: Recipient, permission: Permission, team?: string | null): boolean =>
  rolePermissions[person.role].has(permission) || (team != null && teamGives(person.teams, permission, team))

export class RecipientsRepository extends Context.Service<RecipientsRepository, {
  readonly all: (org: OrgId) => Effect.Effect<ReadonlyArray<Recipient>>
  /** Undefined for a person who does not belong to the workspace. */
  readonly one: (org: OrgId, user: string) => Effect.Effect<Recipient | undefined>
}>()("@countersign/hub/notices/RecipientsRepository") {
  static readonly layer = Layer.effect(
    RecipientsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const people = (org: OrgId) =>
        sql`select u.id, u.name, u.email, u.time_zone, m.role, ${
          teamsOf(sql, sql`m.org_id`, sql`m.user_id`)
        } as teams, n.places, n.digest_minutes, n.quiet_from, n.quiet_to, o.id as org_id, o.name as org_name,
          exists (select 1 from push_subscriptions p join sessions s on s.id = p.session_id
            where p.user_id = u.id and ${sessionEnd(sql)} > hub_time_or_last()) as has_browser
        from memberships m join users u on u.id = m.user_id join orgs o on o.id = m.org_id
        left join notification_settings n on n.org_id = m.org_id and n.user_id = m.user_id
        where m.org_id = ${org}`
      return RecipientsRepository.of({
        all: (org) => Effect.map(Effect.orDie(sql<Row>`${people(org)} order by u.id`), (rows) => rows.map(toRecipient)),
        one: (org, user) =>
          sql<Row>`${people(org)} and u.id = ${user}`.pipe(
            Effect.map(([row]) => row === undefined ? undefined : toRecipient(row)),
            Effect.orDie
          )
      })
    })
  )
}
