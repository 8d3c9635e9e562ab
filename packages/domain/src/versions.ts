/**
 * Versions of editable objects, so that two editors do not overwrite each other. Spec: reference/agents.md "Concurrent
 * edits".
 */
import { Schema } from "effect"
import { type Conflict, conflict } from "./errors.ts"

/** From 1; every change of the object by a person raises it. Spending, key rotation, and use do not. */
export const Version = Schema.Int.annotate({ description: "Raised by every edit; send it as expected_version." })

const versionMax = 2_147_483_647

/** Spread into the payload of a PATCH or a replacing POST. */
export const expectedVersion = {
  expected_version: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: versionMax })).annotate({
      description:
        "The version that the change is based on. At another version: 409 version_conflict, and nothing changes."
    })
  )
}

/** The author and the time of the latest edit. */
export interface LastChange {
  readonly actor: { readonly type: string; readonly id: string; readonly name: string }
  readonly at: string
}

/** `data` is the current object, with `last_change` beside its own fields; empty when the object does not exist. */
export const versionConflict = (
  noun: string,
  current: object | undefined,
  lastChange: LastChange | undefined
): Conflict =>
  conflict(
    "version_conflict",
    `The ${noun} changed after you read it. Apply your change to the object in data and send its version.`,
    { ...current, ...(lastChange === undefined ? {} : { last_change: lastChange }) }
  )
