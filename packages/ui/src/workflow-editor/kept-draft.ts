/**
 * Unsaved changes of an editor: they survive a reload and the end of the session, but not the tab. Each person of a
 * shared browser has their own.
 */
import { type Draft, readDraft } from "./draft.ts"

export interface KeptDraft {
  /** The number of the version that the draft is based on; 0 without one. */
  readonly number: number
  readonly base: Draft
  readonly draft: Draft
}

const nameOf = (user: string, workflow: string): string => `countersign.steps.${user}.${workflow}`

export const keepDraft = (user: string, workflow: string, kept: KeptDraft | undefined): void => {
  try {
    if (kept === undefined) sessionStorage.removeItem(nameOf(user, workflow))
    else sessionStorage.setItem(nameOf(user, workflow), JSON.stringify(kept))
  } catch {
    // Storage may be full or blocked.
  }
}

export const keptDraft = (user: string, workflow: string): KeptDraft | undefined => {
  try {
    const found = JSON.parse(sessionStorage.getItem(nameOf(user, workflow)) ?? "null") as Partial<KeptDraft> | null
    const [base, draft] = [readDraft(found?.base), readDraft(found?.draft)]
    return typeof found?.number === "number" && base !== undefined && draft !== undefined
      ? { number: found.number, base, draft }
      : undefined
  } catch {
    return undefined
  }
}
