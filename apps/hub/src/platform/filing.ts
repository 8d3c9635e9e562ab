/**
 * How a request was filed: what the API shows as its `origin`, and what a grant of its approval needs again. Both are
 * stored as one JSON text. Spec: reference/requests.md "Origin".
 */
import type { Door, Origin } from "@countersign/domain/origin"
import { directContext, type PolicyContext } from "@countersign/domain/policy-rules"

export interface Filing {
  /** What filed it, without the task; absent for an agent's plain call. */
  readonly origin?: Omit<Origin, "task_id">
  /** The delegated task that it is for (`x-delegated-task`). */
  readonly task?: string
  /** For policy rules. Default: `api`. */
  readonly door?: Door
  /** `service.operation` of the results that the model of a chat has read. For policy rules. */
  readonly sources?: ReadonlyArray<string>
  /** Limits on the budgets of the runs that it is part of, beside its own limits. */
  readonly budgets?: ReadonlyArray<number>
}

interface StoredFiling extends Origin {
  /** Not shown. */
  readonly $door?: NonNullable<Filing["door"]>
  readonly $sources?: ReadonlyArray<string>
  readonly $budgets?: ReadonlyArray<number>
}

/** The text that is stored with a request; null for an agent's plain call. */
export const storedFiling = ({ budgets = [], door = "api", origin, sources = [], task }: Filing): string | null => {
  const stored: StoredFiling = {
    ...origin,
    ...(task === undefined ? {} : { task_id: task }),
    ...(door === "api" ? {} : { $door: door }),
    ...(sources.length === 0 ? {} : { $sources: sources }),
    ...(budgets.length === 0 ? {} : { $budgets: budgets })
  }
  return Object.keys(stored).length === 0 ? null : JSON.stringify(stored)
}

/** The filing behind a stored text. */
export const filingOf = (stored: string | null): Filing => {
  if (stored === null) return {}
  const { $budgets, $door, $sources, task_id, ...origin } = JSON.parse(stored) as StoredFiling
  return {
    ...(Object.keys(origin).length === 0 ? {} : { origin }),
    ...(task_id === undefined ? {} : { task: task_id }),
    ...($door === undefined ? {} : { door: $door }),
    ...($sources === undefined ? {} : { sources: $sources }),
    ...($budgets === undefined ? {} : { budgets: $budgets })
  }
}

/** The JSON text of `origin` in an answer; null when there is nothing to show. */
export const shownOrigin = (stored: string | null): string | null => {
  if (stored === null || !stored.includes("\"$")) return stored
  const { $budgets: _budgets, $door: _door, $sources: _sources, ...shown } = JSON.parse(stored) as StoredFiling
  return Object.keys(shown).length === 0 ? null : JSON.stringify(shown)
}

/** The context that policy rules see. */
export const contextOf = ({ door = "api", origin, sources = [] }: Filing): PolicyContext =>
  door === "api" && origin?.user_id === undefined && sources.length === 0
    ? directContext
    : { door, user_id: origin?.user_id ?? "", sources }
