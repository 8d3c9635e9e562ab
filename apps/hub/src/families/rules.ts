/** What a child may get of its parent's services. Pure. Spec: reference/agents.md "Families". */
import {
  type BindingSettings,
  type BindingTerms,
  capsOf,
  coversOperation,
  type OperationCaps
} from "@countersign/domain/bindings"
import type { Detail } from "@countersign/domain/errors"

const fields = ["monthly_cap_cents", "daily_request_limit", "approval_threshold_cents"] as const

export interface Inherited {
  /** Complete bindings of the child. */
  readonly bindings: ReadonlyArray<BindingSettings>
  /** Fields beyond the parent's. */
  readonly excess: ReadonlyArray<Detail>
}

const sameCaps = (a: OperationCaps, b: OperationCaps): boolean => fields.every((field) => a[field] === b[field])

/** The caps that the child names, and the parent's where it names none. */
const joined = (asked: OperationCaps, parent: OperationCaps): OperationCaps => ({
  ...capsOf(parent, ""),
  ...capsOf(asked, "")
})

const inheritOne = (
  parent: BindingSettings | undefined,
  asked: BindingTerms,
  thresholdCents: number,
  path: string
): { readonly binding: BindingSettings; readonly excess: ReadonlyArray<Detail> } => {
  const binding: BindingSettings = {
    ...joined(asked, parent === undefined ? {} : capsOf(parent, "")),
    service: asked.service,
    operations: asked.operations,
    enabled: asked.enabled ?? true
  }
  if (parent?.enabled !== true) {
    return { binding, excess: [{ path: `${path}.service`, message: "The parent is not connected to this service." }] }
  }
  const all = asked.operations[0] === "*"
  const own = Object.keys(asked.per_operation ?? {})
  const notCovered = [
    ...asked.operations.map((operation) =>
      operation === "*" ? parent.operations[0] === "*" : coversOperation(parent, operation)
    ).flatMap((covered, at) => covered ? [] : [`operations.${at}`]),
    ...own.filter((operation) => !coversOperation(parent, operation) || !(all || asked.operations.includes(operation)))
      .map((operation) => `per_operation.${operation}`)
  ]
  if (notCovered.length > 0) {
    return {
      binding,
      excess: notCovered.map((at) => ({
        path: `${path}.${at}`,
        message: "The parent or this binding does not cover this operation."
      }))
    }
  }
  const overrides = Object.keys(parent.per_operation ?? {}).filter((operation) => coversOperation(binding, operation))
  const operations = new Set([...(all ? [""] : asked.operations), ...own, ...overrides])
  const excess: Array<Detail> = []
  const perOperation: Record<string, OperationCaps> = {}
  for (const operation of operations) {
    const bounds = capsOf(parent, operation)
    const named = Object.hasOwn(asked.per_operation ?? {}, operation) ? asked.per_operation?.[operation] ?? {} : {}
    const wanted = capsOf(asked, operation)
    for (const field of fields) {
      const bound = bounds[field] ?? (field === "approval_threshold_cents" ? thresholdCents : undefined)
      const value = wanted[field]
      if (bound === undefined || value === undefined || value <= bound) continue
      excess.push({
        path: named[field] === undefined ? `${path}.${field}` : `${path}.per_operation.${operation}.${field}`,
        message: `The parent's is ${bound}${operation === "" ? "" : ` for ${operation}`}.`
      })
    }
    const caps = joined(wanted, bounds)
    if (operation !== "" && !sameCaps(caps, capsOf(binding, operation))) perOperation[operation] = caps
  }
  return {
    binding: Object.keys(perOperation).length === 0 ? binding : { ...binding, per_operation: perOperation },
    excess
  }
}

/**
 * The bindings of a child: a cap, a count, or a threshold that it does not name is its parent's. `thresholdCents`: of
 * the parent, for operations whose binding has none.
 */
export const inherit = (
  parent: ReadonlyMap<string, BindingSettings>,
  asked: ReadonlyArray<BindingTerms>,
  thresholdCents: number
): Inherited => {
  const all = asked.map((terms, at) => inheritOne(parent.get(terms.service), terms, thresholdCents, `services.${at}`))
  return { bindings: all.map(({ binding }) => binding), excess: all.flatMap(({ excess }) => excess) }
}
