/**
 * Likely mistakes in a valid policy rule: names that do not exist, and payload fields that may be missing, which makes
 * the rule fail and the hub block the request. Pure. Spec: reference/policies.md "Warnings".
 */
import { Result } from "effect"
import { type ConditionReads, conditionReads, conditionSyntax } from "./condition-reads.ts"
import type { Detail } from "./errors.ts"
import { isNode, nodesBelow } from "./expression-meter.ts"
import type { Expression } from "./expression.ts"
import { compileCondition, directContext } from "./policy-rules.ts"
import { sample } from "./sample.ts"
import { fieldPresence } from "./schema-fields.ts"

/** An operation to which rules apply. */
export interface RuledOperation {
  readonly service: string
  readonly operation: string
  readonly payload_schema: { readonly [name: string]: unknown }
}

/** The most operations that one check reads. */
export const ruledOperationsMax = 2_000
const warningsMax = 20
const namedMax = 3
/** The most operations with whose sample payloads a rule is tried. */
const triedMax = 100

const nameOf = ({ operation, service }: RuledOperation): string => `${service}.${operation}`

const namesOf = (operations: ReadonlyArray<string>): string => {
  const shown = operations.slice(0, namedMax).join(", ")
  return operations.length <= namedMax ? shown : `${shown}, and ${operations.length - namedMax} more`
}

interface Findings {
  readonly missing: Map<string, Array<string>>
  readonly optional: Map<string, Array<string>>
  readonly failing: Array<{ readonly name: string; readonly message: string }>
}

const note = (found: Map<string, Array<string>>, path: string, name: string): void => {
  found.set(path, [...found.get(path) ?? [], name])
}

/** Whether the operation has every field that the rule reads, with a known type; otherwise notes the fields. */
const notePresence = (reads: ConditionReads, operation: RuledOperation, findings: Findings): boolean => {
  let isCertain = true
  for (const path of reads.paths) {
    for (let length = 1; length <= path.length; length++) {
      const prefix = path.slice(0, length)
      const { isTyped, presence } = fieldPresence(operation.payload_schema, prefix)
      const text = `payload.${prefix.join(".")}`
      if (presence === "always" || reads.guarded.has(JSON.stringify(prefix))) {
        isCertain &&= presence === "always" && isTyped
        continue
      }
      note(presence === "never" ? findings.missing : findings.optional, text, nameOf(operation))
      isCertain = false
      break
    }
  }
  return isCertain
}

const unknownNames = (reads: ConditionReads, operations: ReadonlyArray<RuledOperation>): ReadonlyArray<string> => {
  const services = new Set(operations.map(({ service }) => service))
  const names = new Set(operations.map(({ operation }) => operation))
  return [
    ...[...reads.services].filter((name) => !services.has(name)).map((name) => `There is no service "${name}".`),
    ...[...reads.operations].filter((name) => !names.has(name)).map((name) => `No service has an operation "${name}".`)
  ]
}

/** For JSON numbers the result is infinite, which no rule intends; for integers it fails. */
const dividesByZero = (syntax: unknown): boolean => {
  const stack = isNode(syntax) ? [syntax] : []
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const [, divisor] = node.op === "/" || node.op === "%" ? node.args as ReadonlyArray<unknown> : []
    if (isNode(divisor) && divisor.op === "value" && Number(divisor.args) === 0) return true
    stack.push(...nodesBelow(node))
  }
  return false
}

/** Two prices, so that a rule that divides by one of them does not count as one that always fails. */
const sampleCents = [100, 1_000_001]

/** Why the rule fails on sample payloads of an operation at any price; undefined where it does not fail. */
const failureOf = (
  { evaluate }: Expression<boolean>,
  { operation, payload_schema, service }: RuledOperation
): string | undefined => {
  const facts = {
    agent: { id: "agt_sample", name: "Sample", team_id: "" },
    context: directContext,
    service,
    operation,
    payload: sample(payload_schema),
    time: new Date(0)
  }
  const results = sampleCents.map((ceiling_cents) => evaluate({ ...facts, ceiling_cents }))
  const [first] = results
  return first !== undefined && Result.isFailure(first) && results.every(Result.isFailure)
    ? first.failure.message
    : undefined
}

/** `operations` are the callable ones. Paths refer to the rule: `when`. */
export const policyWarnings = (when: string, operations: ReadonlyArray<RuledOperation>): ReadonlyArray<Detail> => {
  const condition = compileCondition(when)
  if (Result.isFailure(condition)) return []
  const findings: Findings = { missing: new Map(), optional: new Map(), failing: [] }
  const syntax = conditionSyntax(when)
  let tried = 0
  let all: ConditionReads | undefined
  for (const operation of operations.slice(0, ruledOperationsMax)) {
    const reads = conditionReads(syntax, operation)
    all ??= reads
    if (!notePresence(reads, operation, findings) || tried++ >= triedMax) continue
    const message = failureOf(condition.success, operation)
    if (message !== undefined) findings.failing.push({ name: nameOf(operation), message })
  }
  const isZeroDivision = findings.failing.length === 0 && dividesByZero(syntax)
  const first = findings.failing[0]
  return [
    ...all === undefined ? [] : unknownNames(all, operations),
    ...[...findings.missing].map(([path, names]) =>
      `${path} is not a field of ${namesOf(names)}: there the rule fails, and the hub blocks every request. ` +
      `Limit the rule to other services, or check has(${path}) first.`
    ),
    ...[...findings.optional].map(([path, names]) =>
      `${path} is optional in ${namesOf(names)}: without it the rule fails, and the hub blocks the request. ` +
      `Check has(${path}) first, or make the field required.`
    ),
    ...isZeroDivision
      ? ["The rule divides by zero: the result is infinite, whatever the request. Correct the divisor."]
      : [],
    ...first === undefined ? [] : [
      all?.paths.length === 0
        ? `The rule fails for every request to ${
          namesOf(findings.failing.map(({ name }) => name))
        }, and the hub blocks them: ${first.message}`
        : `The rule fails on a sample payload of ${
          namesOf(findings.failing.map(({ name }) => name))
        }, and the hub blocks such requests: ${first.message}`
    ]
  ].slice(0, warningsMax).map((message) => ({ path: "when", message }))
}
