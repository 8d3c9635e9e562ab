/** A person's workspaces: list, creation, settings. Spec: reference/accounts.md "Workspaces", "Workspace settings". */
import { type Permission, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  type Conflict,
  type Forbidden,
  forbidden,
  type NotFound,
  noWorkspace
} from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { Workspace, WorkspacePatch } from "@countersign/domain/workspaces"
import { Context, Effect, Layer } from "effect"
import { needsStepUp } from "../edge/step-up.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { type WorkspaceSettings, WorkspacesRepository } from "./repository.ts"
import { weakeningOf } from "./rules.ts"

/** Settings that dispatch reads. */
const dispatchReads = ["frozen", "approval_threshold_cents", "approval_life_seconds", "separation_of_duties"] as const

const missing = (permission: Permission) =>
  forbidden(`This needs the permission ${permission} in that workspace.`, { permission })

const freezesAlone = (patch: WorkspaceSettings): boolean => patch.frozen === true && Object.keys(patch).length === 1

export class Workspaces extends Context.Service<Workspaces, {
  readonly list: (
    user: UserPrincipal,
    query: PageQuery
  ) => Effect.Effect<PageOf<Workspace>, ApiError>
  /** 404 when the person is not a member, and for a token of another workspace. */
  readonly get: (user: UserPrincipal, id: OrgId) => Effect.Effect<Workspace, NotFound>
  /** The creator becomes its owner. 403 for a token without `workspace:write`. */
  readonly create: (user: UserPrincipal, name: string) => Effect.Effect<Workspace, Forbidden>
  /** Makes it the session's active workspace. A token has one workspace: 404 for any other. */
  readonly enter: (user: UserPrincipal, id: OrgId) => Effect.Effect<Workspace, NotFound>
  readonly update: (
    user: UserPrincipal,
    id: OrgId,
    patch: WorkspacePatch
  ) => Effect.Effect<Workspace, NotFound | Forbidden | Conflict>
}>()("@countersign/hub/workspaces/Workspaces") {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function*() {
      const repository = yield* WorkspacesRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const get = Effect.fn("Workspaces.get")(function*(user: UserPrincipal, id: OrgId) {
        if (user.via.kind === "pat" && id !== user.org_id) return yield* Effect.fail(noWorkspace())
        const found = yield* repository.find(id, user.user_id)
        return found ?? (yield* Effect.fail(noWorkspace()))
      })

      const create = Effect.fn("Workspaces.create")(function*(user: UserPrincipal, name: string) {
        if (user.via.kind === "pat" && !user.permissions.has("workspace:write")) {
          return yield* Effect.fail(missing("workspace:write"))
        }
        const id = yield* repository.createOrg(name)
        yield* repository.addMember(id, user.user_id, "owner")
        yield* audit.record(id, actorOf(user), {
          action: "workspace.created",
          subject: { type: "org", id },
          data: { name }
        })
        return (yield* repository.find(id, user.user_id))!
      }, db.transaction)

      const enter = Effect.fn("Workspaces.enter")(function*(user: UserPrincipal, id: OrgId) {
        if (user.via.kind !== "session") return yield* get(user, id)
        if (!(yield* repository.enter(id, user.via.session_id))) return yield* Effect.fail(noWorkspace())
        return yield* get(user, id)
      })

      const update = Effect.fn("Workspaces.update")(function*(user: UserPrincipal, id: OrgId, input: WorkspacePatch) {
        const { expected_version: expected, ...patch } = input
        // The role in that workspace counts, not in the active one.
        const { role } = yield* get(user, id)
        const may = (permission: Permission) =>
          (id === user.org_id ? user.permissions : rolePermissions[role]).has(permission)
        if (!may("workspace:write") && !(freezesAlone(patch) && may("approvals:decide"))) {
          return yield* Effect.fail(missing("workspace:write"))
        }
        if (patch.approval_threshold_cents !== undefined && !may("budgets:write")) {
          return yield* Effect.fail(missing("budgets:write"))
        }
        const decides = dispatchReads.some((name) => patch[name] !== undefined)
        return yield* db.transaction(Effect.gen(function*() {
          yield* heads.lock(id)
          const before = yield* get(user, id)
          yield* expectVersion(audit, id)({
            noun: "workspace",
            expected,
            version: before.version,
            current: Effect.succeed(before),
            subject: id,
            actions: ["workspace.created", "workspace.updated"]
          })
          if (Object.keys(patch).length === 0) return before
          const weakening = weakeningOf(before, patch)
          if (weakening !== undefined) yield* needsStepUp(user, weakening)
          yield* repository.update(id, patch)
          if (decides) {
            yield* heads.bumpRules(id)
            yield* db.afterCommit(Effect.sync(() => signals.config(id)))
          }
          yield* audit.record(id, actorOf(user), {
            action: "workspace.updated",
            subject: { type: "org", id },
            data: patch
          })
          return yield* get(user, id)
        }))
      })

      return Workspaces.of({
        list: Effect.fn("Workspaces.list")(function*(user, query) {
          const after = yield* decodeCursor(query.cursor, [/^org_[0-9a-z]{26}$/])
          const as_of = yield* audit.asOf(user.org_id)
          const own = user.via.kind === "pat" ? user.org_id : undefined
          const rows = yield* repository.list(user.user_id, own, after?.[0], (query.limit ?? pageLimitDefault) + 1)
          return { ...toPage(rows, query.limit, (row) => [row.id]), as_of }
        }),
        get,
        create,
        enter,
        update
      })
    })
  )
}
