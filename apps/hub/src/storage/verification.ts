/**
 * Makes an upload an object: its bytes are copied to a name that no URL can change, digested, and compared with the
 * declaration. A hub that dies during it leaves a lease that lapses; another hub then repeats it.
 */
import { type ApiError, conflict } from "@countersign/domain/errors"
import { Context, Effect, Layer, Schedule } from "effect"
import { type Actor, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { ObjectLedger } from "./ledger.ts"
import { type ObjectRow, StorageRepository } from "./repository.ts"
import { finalName, uploadName } from "./rules.ts"
import { ObjectStore, storeUnavailable } from "./store.ts"

export const claimSeconds = 60
const renewalMillis = 15_000

const notUploaded = conflict("not_uploaded", "No bytes arrived at the upload URL. Upload them, then confirm again.")

const mismatch = (row: ObjectRow, found: { readonly bytes: number; readonly sha256: string }) =>
  conflict("checksum_mismatch", "The uploaded bytes are not the declared ones. Upload again, then confirm.", {
    declared: { size_bytes: row.size_bytes, ...row.declared_sha256 === null ? {} : { sha256: row.declared_sha256 } },
    uploaded: { size_bytes: found.bytes, ...found.sha256 === "" ? {} : { sha256: found.sha256 } }
  })

export class Verification extends Context.Service<Verification, {
  /** Verifies an object that the caller has claimed. A refused one is pending again. */
  readonly run: (row: ObjectRow, actor: Actor) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/storage/Verification") {
  static readonly layer = Layer.effect(
    Verification,
    Effect.gen(function*() {
      const repository = yield* StorageRepository
      const store = yield* ObjectStore
      const ledger = yield* ObjectLedger
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const publish = Effect.fnUntraced(function*(row: ObjectRow, sha256: string, actor: Actor) {
        const at = yield* heads.lock(row.org_id)
        const replaced = yield* ledger.displace(row.org_id, row.key, row.user_id, at)
        const { generation, id, org_id: org } = row
        if (!(yield* repository.publish(org, id, { generation, sha256, at }))) {
          return yield* Effect.fail(conflict("conflict", "The object changed during its verification. Read it again."))
        }
        yield* audit.record(org, actor, {
          action: "storage_object.created",
          subject: { type: "storage_object", id },
          data: {
            key: row.key,
            size_bytes: row.size_bytes,
            sha256,
            ...replaced === undefined ? {} : { replaces: replaced.id }
          }
        })
      }, db.transaction)

      const verify = Effect.fnUntraced(function*(row: ObjectRow, actor: Actor): Effect.fn.Return<void, ApiError> {
        const { content_type: contentType, generation, id, org_id: org, size_bytes: bytes } = row
        const from = uploadName(org, id, row.upload ?? "")
        const to = finalName(org, id, generation)
        const drop = (name: string) => Effect.ignore(store.remove(name))
        yield* repository.renew(org, id, generation, claimSeconds).pipe(
          Effect.delay(renewalMillis),
          Effect.repeat(Schedule.forever),
          Effect.forkChild
        )
        const found = yield* store.seal(from, to, { bytes, contentType }).pipe(
          Effect.tapError((failure) => Effect.logWarning(`object ${id} could not be verified: ${failure.detail}`)),
          Effect.mapError(storeUnavailable)
        )
        if (found === undefined) return yield* Effect.fail(notUploaded)
        const isRight = found.bytes === bytes &&
          (row.declared_sha256 === null || row.declared_sha256 === found.sha256)
        if (!isRight) {
          yield* drop(to)
          return yield* Effect.fail(mismatch(row, found))
        }
        yield* Effect.tapError(publish(row, found.sha256, actor), () => drop(to))
        yield* drop(from)
      })

      return Verification.of({
        run: (row, actor) =>
          verify(row, actor).pipe(
            Effect.tapError(() => repository.release(row.org_id, row.id, row.generation)),
            Effect.withSpan("Verification.run")
          )
      })
    })
  )
}
