/** What every change of an object's row does: the limits, the key, the counted bytes. Call it under the workspace's lock. */
import { type ApiError, conflict } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { Settings } from "../config.ts"
import type { ObjectRow } from "./repository.ts"
import { StorageRepository } from "./repository.ts"

export const keyTaken = conflict("key_taken", "Another object has this key. Choose another key, or delete that object.")

const overQuota = (message: string, data: Record<string, number>) => conflict("storage_quota_exceeded", message, data)

export class ObjectLedger extends Context.Service<ObjectLedger, {
  /** 409 `storage_quota_exceeded` for an object over its own limit. */
  readonly fits: (bytes: number) => Effect.Effect<void, ApiError>
  /** Counts the bytes of a new object; 409 `storage_quota_exceeded` over the workspace's limit. */
  readonly reserve: (org: OrgId, bytes: number) => Effect.Effect<void, ApiError>
  /**
   * Deletes the live object of a key softly, so that another one can take it. A member, or their agent, replaces only
   * their own objects: otherwise 409 `key_taken`. Returns the replaced object.
   */
  readonly displace: (
    org: OrgId,
    key: string,
    by: string | null,
    at: Date
  ) => Effect.Effect<ObjectRow | undefined, ApiError>
}>()("@countersign/hub/storage/ObjectLedger") {
  static readonly layer = Layer.effect(
    ObjectLedger,
    Effect.gen(function*() {
      const repository = yield* StorageRepository
      const { storage: { objectBytesMax, workspaceBytesMax } } = yield* Settings
      return ObjectLedger.of({
        fits: (bytes) =>
          bytes <= objectBytesMax
            ? Effect.void
            : Effect.fail(
              overQuota(`An object can have ${objectBytesMax} bytes.`, { size_bytes: bytes, max_bytes: objectBytesMax })
            ),
        reserve: Effect.fnUntraced(function*(org, bytes) {
          const { used } = yield* repository.totals(org)
          if (used + bytes > workspaceBytesMax) {
            return yield* Effect.fail(
              overQuota(
                "The workspace's storage is full. Deleted objects count until they are removed after seven days.",
                { used_bytes: used, size_bytes: bytes, max_bytes: workspaceBytesMax }
              )
            )
          }
          yield* repository.count(org, bytes, 0)
        }),
        displace: Effect.fnUntraced(function*(org, key, by, at) {
          const found = Option.getOrUndefined(yield* repository.findByKey({ org, owner: undefined }, key))
          if (found === undefined) return undefined
          if (by !== null && found.user_id !== by) {
            const role = yield* repository.roleOf(org, by)
            if (role === undefined || role === "member") return yield* Effect.fail(keyTaken)
          }
          yield* repository.setStatus(org, found.id, "deleted", at)
          yield* repository.count(org, 0, found.size_bytes)
          return found
        })
      })
    })
  )
}
