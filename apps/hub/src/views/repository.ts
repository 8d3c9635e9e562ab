/** Saved views of a workspace. */
import { newId, type OrgId, type UserId, type ViewId } from "@countersign/domain/ids"
import type { CreateViewInput, UpdateViewInput, ViewScreen } from "@countersign/domain/views"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import { shownName } from "../platform/shown-name.ts"

export interface ViewRow {
  readonly id: ViewId
  readonly user_id: UserId
  readonly user_name: string
  readonly screen: ViewScreen
  readonly name: string
  readonly query: string
  readonly shared: boolean
  readonly position: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The person whose views are read. */
export interface ViewReader {
  readonly org: OrgId
  readonly user: string
  readonly screens: ReadonlyArray<ViewScreen>
}

export class ViewsRepository extends Context.Service<ViewsRepository, {
  /** The person's own and the shared views, by position, then by age. */
  readonly list: (
    reader: ViewReader,
    after: { readonly position: number; readonly id: string } | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ViewRow>>
  /** None if it does not exist or the person does not see it. */
  readonly find: (reader: ViewReader, id: string) => Effect.Effect<Option.Option<ViewRow>>
  /** The number of a person's views, and the position after the last one. Call it under the workspace's lock. */
  readonly ofPerson: (org: OrgId, user: string) => Effect.Effect<{ readonly count: number; readonly next: number }>
  /**
   * Whether a person has another view of the screen under this name, in any case. Call it under the workspace's lock.
   */
  readonly isNamed: (
    org: OrgId,
    user: string,
    view: { readonly screen: ViewScreen; readonly name: string; readonly except?: string }
  ) => Effect.Effect<boolean>
  /** Returns the new view's id. */
  readonly insert: (org: OrgId, user: string, view: Required<CreateViewInput>, at: Date) => Effect.Effect<ViewId>
  readonly update: (org: OrgId, id: string, change: UpdateViewInput, at: Date) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string) => Effect.Effect<void>
}>()("@countersign/hub/views/ViewsRepository") {
  static readonly layer = Layer.effect(
    ViewsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const seen = ({ org, screens, user }: ViewReader) =>
        sql`select v.id, v.user_id, ${shownName(sql, "u")} as user_name, v.screen, v.name, v.query, v.shared,
          v.position, v.created_at, v.updated_at
        from views v join users u on u.id = v.user_id
        where v.org_id = ${org} and (v.user_id = ${user} or v.shared) and v.screen = any(${textArray([...screens])})`
      return ViewsRepository.of({
        list: (reader, after, limit) =>
          sql<ViewRow>`${seen(reader)} ${
            after === undefined ? sql`` : sql`and (v.position, v.id) > (${after.position}::int, ${after.id})`
          }
          order by v.position, v.id limit ${limit}`.pipe(Effect.orDie),
        find: (reader, id) =>
          sql<ViewRow>`${seen(reader)} and v.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        ofPerson: (org, user) =>
          sql<
            { count: number; next: number }
          >`select count(*)::int as count, least(coalesce(max(position) + 1, 0), 1000000)::int as next
          from views where org_id = ${org} and user_id = ${user}`.pipe(
            Effect.map(([row]) => row ?? { count: 0, next: 0 }),
            Effect.orDie
          ),
        isNamed: (org, user, { except = "", name, screen }) =>
          sql`select 1 from views where org_id = ${org} and user_id = ${user} and screen = ${screen}
            and lower(name) = lower(${name}) and id <> ${except} limit 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        insert: (org, user, { name, position, query, screen, shared }, at) => {
          const id = newId("viw")
          return sql`insert into views (id, org_id, user_id, screen, name, query, shared, position, created_at, updated_at)
          values (${id}, ${org}, ${user}, ${screen}, ${name}, ${query}, ${shared}, ${position}, ${at}, ${at})`.pipe(
            Effect.as(id),
            Effect.orDie
          )
        },
        update: (org, id, change, at) =>
          sql`update views set ${sql.update({ ...change, updated_at: at })} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        remove: (org, id) =>
          sql`delete from views where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}
