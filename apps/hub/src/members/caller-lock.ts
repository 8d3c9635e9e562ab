/** The locks of a change that a person or an agent makes. */
import type { Principal } from "@countersign/domain/auth"
import { Effect } from "effect"
import { OrgHeads } from "../platform/org-heads.ts"
import { MembersRepository } from "./repository.ts"

/**
 * Takes the caller's membership, if it is a person, and then the workspace's lock, for the caller's transaction. Returns
 * the workspace's time.
 */
export const callerLock = Effect.gen(function*() {
  const members = yield* MembersRepository
  const heads = yield* OrgHeads
  return Effect.fnUntraced(function*(principal: Principal) {
    if (principal.kind === "user") yield* members.stays(principal.org_id, principal.user_id)
    return yield* heads.lock(principal.org_id)
  })
})
