/** Merges a form's draft with another person's saved changes. Pure. */
import type { ReactNode } from "react"

/** One field of a form with the draft `D`. */
export interface MergeField<D> {
  readonly key: string
  readonly label: string
  /** Compared as JSON. */
  readonly value: (draft: D) => unknown
  /** The draft with this field as it is in `from`. */
  readonly copy: (draft: D, from: D) => D
  /** The value as the reader sees it. */
  readonly show: (draft: D) => ReactNode
}

/** A field that consists of several keys of a flat draft. */
export const keysField = <D extends object>(
  keys: ReadonlyArray<keyof D>,
  label: string,
  show: (draft: D) => ReactNode
): MergeField<D> => ({
  key: keys.map(String).join(" "),
  label,
  value: (draft) => keys.map((key) => draft[key]),
  copy: (draft, from) => ({ ...draft, ...Object.fromEntries(keys.map((key) => [key, from[key]])) }),
  show
})

export interface Merge<D> {
  /** The saved object with the reader's own changes; a collision keeps the reader's value until it is decided. */
  readonly draft: D
  readonly theirs: ReadonlyArray<MergeField<D>>
  readonly mine: ReadonlyArray<MergeField<D>>
  /** Changed by both, to different values. */
  readonly collisions: ReadonlyArray<MergeField<D>>
}

/** The text that values are compared by; empty for an absent one. */
export const json = (value: unknown): string => JSON.stringify(value) ?? ""

/** The members of an edited input that differ from the saved ones; none while the draft is incomplete. */
export const changedMembers = <T extends object>(before: T | undefined, after: T | undefined): Partial<T> =>
  Object.fromEntries(
    Object.entries(after ?? {}).filter(([name, value]) => json(value) !== json(before?.[name as keyof T]))
  ) as Partial<T>

export const mergeDrafts = <D>(fields: ReadonlyArray<MergeField<D>>, base: D, mine: D, theirs: D): Merge<D> => {
  const differs = (field: MergeField<D>, one: D, other: D) => json(field.value(one)) !== json(field.value(other))
  const changedByMe = fields.filter((field) => differs(field, base, mine) && differs(field, mine, theirs))
  const changedByThem = fields.filter((field) => differs(field, base, theirs) && differs(field, mine, theirs))
  return {
    draft: changedByMe.reduce((draft, field) => field.copy(draft, mine), theirs),
    theirs: changedByThem.filter((field) => !changedByMe.includes(field)),
    mine: changedByMe.filter((field) => !changedByThem.includes(field)),
    collisions: changedByMe.filter((field) => changedByThem.includes(field))
  }
}
