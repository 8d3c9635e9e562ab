/** Audit entries about a person: one in each of the person's workspaces. */
import { Effect } from "effect"
import { type Actor, AuditLog, type Entry } from "../platform/audit-log.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"

/** Call the result inside the transaction of the change, and as late as possible. */
export const makePersonAudit = Effect.gen(function*() {
  const workspaces = yield* WorkspacesRepository
  const audit = yield* AuditLog
  return Effect.fnUntraced(function*(user: string, actor: Actor, entry: Pick<Entry, "action" | "data">) {
    // In order of id, like every transaction that locks several workspaces.
    for (const org of (yield* workspaces.names(user)).map(({ id }) => id).sort()) {
      yield* audit.record(org, actor, { ...entry, subject: { type: "user", id: user } })
    }
  })
})
