/** Transfers or disconnects the apps of a person who leaves the workspace. */
import { Effect, Layer } from "effect"
import { AppsOfMember } from "../members/departure.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { AppsRepository } from "./repository.ts"
import { AppRevocationsRepository } from "./revocations-repository.ts"

const note = "The person who connected it left the workspace."

export const appsOfMemberLayer = Layer.effect(
  AppsOfMember,
  Effect.gen(function*() {
    const repository = yield* AppsRepository
    const revocations = yield* AppRevocationsRepository
    const audit = yield* AuditLog
    return AppsOfMember.of({
      leave: Effect.fnUntraced(function*({ actor, org, transferTo, user }) {
        const owned = yield* repository.ofUser(org, user)
        const changed = transferTo === undefined ? owned.filter(({ status }) => status !== "revoked") : owned
        for (const { id, provider } of changed) {
          yield* transferTo === undefined
            ? Effect.andThen(
              revocations.keep(org, id, { delaySeconds: 0, note }),
              repository.end(org, id, "revoked", note)
            )
            : repository.transfer(org, id, transferTo)
          yield* audit.record(org, actor, {
            action: transferTo === undefined ? "app.revoked" : "app.transferred",
            subject: { type: "app", id },
            data: transferTo === undefined
              ? { provider, reason: "member_removed" }
              : { owner_user_id: { from: user, to: transferTo }, reason: "member_removed" }
          })
        }
        return changed.length
      })
    })
  })
)
