/** Saved views: a person's own, and those shared with the workspace. Spec: reference/accounts.md "Saved views". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, fieldConflict, forbidden, type NotFound, notFound } from "@countersign/domain/errors"
import { idPattern } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import {
  type CreateViewInput,
  screenPermissions,
  type UpdateViewInput,
  type View,
  ViewScreen,
  viewsMax
} from "@countersign/domain/views"
import { Context, Effect, Layer, Option } from "effect"
import { MembersRepository } from "../members/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { type ViewReader, type ViewRow, ViewsRepository } from "./repository.ts"

const readerOf = (user: UserPrincipal): ViewReader => ({
  org: user.org_id,
  user: user.user_id,
  screens: ViewScreen.literals.filter((screen) => user.permissions.has(screenPermissions[screen]))
})

const mayEdit = (user: UserPrincipal, view: ViewRow): boolean =>
  view.user_id === user.user_id || user.role === "owner" || user.role === "admin"

const nameTaken = fieldConflict(
  "name",
  "The owner of this view has another view of this screen with that name. Choose another name."
)

const shown = (user: UserPrincipal, row: ViewRow): View => ({
  id: row.id,
  screen: row.screen,
  name: row.name,
  query: row.query,
  shared: row.shared,
  position: row.position,
  created_by: { id: row.user_id, name: row.user_name },
  can_edit: mayEdit(user, row),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

export class Views extends Context.Service<Views, {
  readonly list: (
    user: UserPrincipal,
    query: PageQuery & { readonly screen?: ViewScreen }
  ) => Effect.Effect<PageOf<View>, ApiError>
  /**
   * 403 without the permission to read the screen, 409 `limit_reached` beyond the maximum number of a person's views,
   * 409 `conflict` for a name that another view of the person and the screen has.
   */
  readonly create: (user: UserPrincipal, input: CreateViewInput) => Effect.Effect<View, ApiError>
  readonly update: (user: UserPrincipal, id: string, change: UpdateViewInput) => Effect.Effect<View, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/views/Views") {
  static readonly layer = Layer.effect(
    Views,
    Effect.gen(function*() {
      const repository = yield* ViewsRepository
      const members = yield* MembersRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const find = (user: UserPrincipal, id: string): Effect.Effect<ViewRow, NotFound> =>
        Effect.flatMap(
          repository.find(readerOf(user), id),
          Option.match({
            onNone: () => Effect.fail(notFound("view")),
            onSome: Effect.succeed
          })
        )

      /** The view under the workspace's lock, and the time of the change. */
      const held = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        yield* members.stays(user.org_id, user.user_id)
        const at = yield* heads.lock(user.org_id)
        const view = yield* find(user, id)
        if (!mayEdit(user, view)) {
          return yield* Effect.fail(
            forbidden("Only its creator or an admin can change a shared view.", { role: "admin" })
          )
        }
        return { at, view }
      })

      const create = Effect.fn("Views.create")(function*(user: UserPrincipal, input: CreateViewInput) {
        const permission = screenPermissions[input.screen]
        if (!user.permissions.has(permission)) {
          return yield* Effect.fail(
            forbidden(`A view of this screen needs the permission ${permission}.`, { permission })
          )
        }
        yield* members.stays(user.org_id, user.user_id)
        const at = yield* heads.lock(user.org_id)
        const { count, next } = yield* repository.ofPerson(user.org_id, user.user_id)
        if (count >= viewsMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A person can have ${viewsMax} views in a workspace; delete one first.`, {
              max: viewsMax
            })
          )
        }
        if (yield* repository.isNamed(user.org_id, user.user_id, input)) return yield* Effect.fail(nameTaken)
        const view = { shared: false, position: next, ...input }
        const id = yield* repository.insert(user.org_id, user.user_id, view, at)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "view.created",
          subject: { type: "view", id },
          data: view
        })
        return shown(user, yield* Effect.orDie(find(user, id)))
      }, db.transaction)

      const update = Effect.fn("Views.update")(function*(user: UserPrincipal, id: string, change: UpdateViewInput) {
        const { at, view } = yield* held(user, id)
        const changed = Object.fromEntries(
          Object.entries(change).filter(([name, value]) => view[name as keyof UpdateViewInput] !== value)
        )
        if (Object.keys(changed).length === 0) return shown(user, view)
        if (
          change.name !== undefined &&
          (yield* repository.isNamed(user.org_id, view.user_id, { screen: view.screen, name: change.name, except: id }))
        ) return yield* Effect.fail(nameTaken)
        yield* repository.update(user.org_id, id, changed, at)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "view.updated",
          subject: { type: "view", id },
          data: {
            screen: view.screen,
            ...Object.fromEntries(
              Object.entries(changed).map(([name, to]) => [name, { from: view[name as keyof UpdateViewInput], to }])
            )
          }
        })
        return shown(user, { ...view, ...changed, updated_at: at })
      }, db.transaction)

      const remove = Effect.fn("Views.remove")(function*(user: UserPrincipal, id: string) {
        const { view } = yield* held(user, id)
        yield* repository.remove(user.org_id, id)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "view.deleted",
          subject: { type: "view", id },
          data: { screen: view.screen, name: view.name, shared: view.shared }
        })
      }, db.transaction)

      return Views.of({
        list: Effect.fn("Views.list")(function*(user, { cursor, limit, screen }) {
          const after = yield* decodeCursor(cursor, [/^\d{1,7}$/, idPattern("viw")])
          const as_of = yield* audit.asOf(user.org_id)
          const reader = readerOf(user)
          const screens = screen === undefined ? reader.screens : reader.screens.filter((each) => each === screen)
          const from = after === undefined ? undefined : { position: Number(after[0]), id: String(after[1]) }
          const rows = yield* repository.list({ ...reader, screens }, from, (limit ?? pageLimitDefault) + 1)
          const { data, next_cursor } = toPage(rows, limit, (row) => [row.position, row.id])
          return { data: data.map((row) => shown(user, row)), next_cursor, as_of }
        }),
        create,
        update,
        remove
      })
    })
  )
}
