/**
 * Caps of a binding. A cap of the binding applies to each operation separately, unless an override replaces it. Spec:
 * reference/agents.md "Bindings".
 */
import type { Input, Row } from "@countersign/hub-client/contract"

export type Binding = Row<"agents.list">["bindings"][number]
export type BindingInput = Input<"bindings.put">["payload"]
export type CapName = "monthly_cap_cents" | "daily_request_limit" | "approval_threshold_cents"

export interface Cap {
  readonly value: number | undefined
  /** The value is the binding's, not the operation's. */
  readonly inherited: boolean
}

/** The cap that applies to an operation; without an operation, the cap that the binding sets for each. */
export const capOf = (binding: Binding, operation: string | undefined, name: CapName): Cap => {
  const own = operation === undefined ? undefined : overridesOf(binding, operation)[name]
  if (own !== undefined) return { value: own, inherited: false }
  const value = binding[name]
  return { value, inherited: operation !== undefined && value !== undefined }
}

const overridesOf = (binding: Binding, operation: string): Readonly<Partial<Record<CapName, number>>> =>
  binding.per_operation !== undefined && Object.hasOwn(binding.per_operation, operation)
    ? (binding.per_operation[operation] ?? {})
    : {}

/** The settings in the form that the hub accepts: without the counters and the version. */
export const settingsOf = ({ operations_usage: _, version: _version, ...settings }: Binding): BindingInput => settings

const withNumber = <T extends object>(from: T, name: CapName, value: number | undefined): T => {
  const { [name]: _, ...rest } = from as T & Partial<Record<CapName, number>>
  return (value === undefined ? rest : { ...rest, [name]: value }) as T
}

/** The binding with one cap set or, without a value, removed. */
export const withCap = (
  binding: Binding,
  operation: string | undefined,
  name: CapName,
  value: number | undefined
): BindingInput => {
  const settings = settingsOf(binding)
  if (operation === undefined) return withNumber(settings, name, value)
  const { per_operation = {}, ...rest } = settings
  const own = withNumber(overridesOf(binding, operation), name, value)
  const others = Object.fromEntries(Object.entries(per_operation).filter(([each]) => each !== operation))
  const next = Object.keys(own).length === 0 ? others : { ...others, [operation]: own }
  return Object.keys(next).length === 0 ? rest : { ...rest, per_operation: next }
}

/** The binding with other operations. Overrides of operations that are no longer bound are removed. */
export const withOperations = (binding: Binding, operations: ReadonlyArray<string>): BindingInput => {
  const { per_operation = {}, ...rest } = settingsOf(binding)
  const kept = Object.fromEntries(
    Object.entries(per_operation).filter(([each]) => operations[0] === "*" || operations.includes(each))
  )
  return { ...rest, operations, ...(Object.keys(kept).length === 0 ? {} : { per_operation: kept }) }
}

export const covers = ({ operations }: { readonly operations: ReadonlyArray<string> }, operation: string): boolean =>
  operations[0] === "*" || operations.includes(operation)

/** Operations to show: bound operations first, then others with use or caps. */
export const operationsOf = (binding: Binding, catalog: ReadonlyArray<string> | undefined): ReadonlyArray<string> => [
  ...new Set([
    ...(binding.operations[0] === "*" ? (catalog ?? []) : binding.operations),
    ...Object.keys(binding.per_operation ?? {}),
    ...Object.keys(binding.operations_usage)
  ])
]
