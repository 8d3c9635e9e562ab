/** The keys of a batch of reads: each read has a place, which is also in the rows that answer it. */
import type { OrgId } from "@countersign/domain/ids"
import { textArray } from "../platform/db.ts"

export interface Wanted {
  readonly org: OrgId
  readonly id: string
}

/** The place of the wanted object that a row answers, from 1. */
export interface Placed {
  readonly place: number
}

/** The first two parameters of a batch. */
export const keysOf = (wanted: ReadonlyArray<Wanted>) => [
  textArray(wanted.map(({ org }) => org)),
  textArray(wanted.map(({ id }) => id))
]
