/** Compares `expected_version` with the version of an object. Spec: reference/agents.md "Concurrent edits". */
import type { Conflict } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { versionConflict } from "@countersign/domain/versions"
import { Effect } from "effect"
import { AuditLog } from "./audit-log.ts"

export interface Edited<E, R> {
  /** The noun in the error message: "agent". */
  readonly noun: string
  /** Absent: no version is expected. */
  readonly expected: number | undefined
  /** 0 when the object does not exist. */
  readonly version: number
  /** The object as its reader receives it; read only on a conflict. */
  readonly current: Effect.Effect<object | undefined, E, R>
  /** The subject of the audit entries that edits of the object write. */
  readonly subject: string
  readonly actions: ReadonlyArray<string>
  /** For a binding: several bindings share the agent as their subject. */
  readonly service?: string
}

/** 409 `version_conflict` at another version. Call it under the workspace's lock, in the transaction of the change. */
export const expectVersion = (audit: AuditLog["Service"], org: OrgId) =>
  Effect.fnUntraced(function*<E, R>(edited: Edited<E, R>): Effect.fn.Return<void, E | Conflict, R> {
    if (edited.expected === undefined || edited.expected === edited.version) return
    const current = yield* edited.current
    const lastChange = yield* audit.lastChange(org, edited)
    return yield* Effect.fail(versionConflict(edited.noun, current, lastChange))
  })
