/**
 * A form for an object that others may edit at the same time. It sends the version that it loaded. If another person
 * saved first, both changes are merged field by field, and the person reviews them before the next save (`EditReview`).
 */
import type { EndpointName, Input, Output } from "@countersign/hub-client/contract"
import type { HubError } from "@countersign/hub-client/error"
import { useState } from "react"
import { type ActOptions, useAct } from "../hub/use-hub.ts"
import type { Side } from "../patterns/merge-review.tsx"
import { type Merge, mergeDrafts, type MergeField } from "../patterns/three-way.ts"

interface Versioned {
  readonly version?: number
}

export interface EditOptions<E extends EndpointName, T extends Versioned, D extends object> extends ActOptions<E> {
  readonly endpoint: E
  /** The hub's current object. The draft follows it until the person types. */
  readonly loaded: T
  readonly draftOf: (object: NoInfer<T>) => D
  /** The fields that the person sees; fields of a list may depend on the drafts. */
  readonly fields: (...drafts: ReadonlyArray<NoInfer<D>>) => ReadonlyArray<MergeField<NoInfer<D>>>
  /** The payload to send, without `expected_version`. */
  readonly input: (base: NoInfer<T>, draft: NoInfer<D>) => Input<E>
}

export interface EditConflict<D> extends Merge<D> {
  readonly before: D
  readonly own: D
  readonly saved: D
  readonly choices: Readonly<Record<string, Side>>
  readonly by: { readonly name: string; readonly at: string } | undefined
}

export interface Edit<T, D> {
  /** The object that the draft is based on; after a merge, the other person's version. */
  readonly base: T
  readonly draft: D
  readonly set: (changed: Partial<D>) => void
  /** Bases the draft on the current object, as typing does. */
  readonly hold: () => void
  /** Replaces the whole draft. */
  readonly replace: (draft: D) => void
  readonly reset: () => void
  readonly save: (draft?: D) => void
  readonly isPending: boolean
  readonly saved: boolean
  /** The error of the last save. A conflict is reported by `conflict` instead. */
  readonly error: HubError | null
  readonly conflict: EditConflict<D> | undefined
  readonly choose: (key: string, side: Side) => void
  /** A collision has no choice yet: saving does nothing. */
  readonly undecided: boolean
}

/** A conflict without a difference in the form's fields is retried automatically, at most this often. */
const silentMax = 5

const isConflict = (error: HubError | null): boolean => error?.code === "version_conflict"

const changerOf = (data: Readonly<Record<string, unknown>>): EditConflict<never>["by"] => {
  const last = data["last_change"] as
    | { readonly actor?: { readonly name?: unknown }; readonly at?: unknown }
    | undefined
  const { actor, at } = last ?? {}
  return typeof actor?.name === "string" && typeof at === "string" ? { name: actor.name, at } : undefined
}

export const useEdit = <E extends EndpointName, T extends Versioned, D extends object>({
  draftOf,
  endpoint,
  fields,
  input,
  loaded,
  ...act
}: EditOptions<E, T, D>): Edit<T, D> => {
  const [edited, setEdited] = useState<{ readonly base: T; readonly draft: D }>()
  const [conflict, setConflict] = useState<EditConflict<D>>()
  const reset = () => {
    setEdited(undefined)
    setConflict(undefined)
  }
  const { onDone } = act
  const call = useAct(endpoint, {
    ...act,
    onDone: (answer: Output<E>, sent: Input<E>) => {
      reset()
      onDone?.(answer, sent)
    }
  })
  const base = edited?.base ?? loaded
  const draft = edited?.draft ?? draftOf(loaded)
  const replace = (next: D) => setEdited({ base, draft: next })
  const undecided = conflict?.collisions.some(({ key }) => conflict.choices[key] === undefined) === true

  const send = (from: T, own: D, silent: number): void => {
    const sent = input(from, own)
    const { payload } = sent as unknown as { readonly payload: object }
    call.mutate({ ...sent, payload: { ...payload, expected_version: from.version } } as Input<E>, {
      onError: (error) => {
        if (!isConflict(error)) return
        const { last_change: _, ...data } = error.data
        const current = data as unknown as T
        if (current.version === undefined) return
        const saved = draftOf(current)
        const before = draftOf(from)
        const merge = mergeDrafts(fields(before, own, saved), before, own, saved)
        setEdited({ base: current, draft: merge.draft })
        // The other person changed no field of this form, so there is nothing to review.
        if (merge.theirs.length === 0 && merge.collisions.length === 0 && silent < silentMax) {
          send(current, merge.draft, silent + 1)
        } else setConflict({ ...merge, before, own, saved, choices: {}, by: changerOf(error.data) })
      }
    })
  }

  return {
    base,
    draft,
    set: (changed) => replace({ ...draft, ...changed }),
    hold: () => replace(draft),
    replace,
    reset: () => {
      reset()
      call.reset()
    },
    save: (own = draft) => {
      if (undecided || call.isPending) return
      setEdited({ base, draft: own })
      setConflict(undefined)
      send(base, own, 0)
    },
    isPending: call.isPending,
    saved: call.isSuccess,
    error: isConflict(call.error) && conflict !== undefined ? null : call.error,
    conflict,
    choose: (key, side) => {
      const field = conflict?.collisions.find((one) => one.key === key)
      if (conflict === undefined || field === undefined) return
      replace(field.copy(draft, side === "mine" ? conflict.own : conflict.saved))
      setConflict({ ...conflict, choices: { ...conflict.choices, [key]: side } })
    },
    undecided
  }
}
