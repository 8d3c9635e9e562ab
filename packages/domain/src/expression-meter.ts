/**
 * A step budget for the evaluation of CEL. The library (cel-js 8.0.0, pinned) has none: three nested `all` over 200
 * items took 0.7 s, and a chain of `map(a, a + a)` doubles a list per link. Each node of a checked syntax tree is
 * wrapped, and pays for its work.
 */

/**
 * Steps of one evaluation: one for each node evaluated, more for long texts and large values. 200,000 take about 20 ms.
 */
export const evaluationStepsMax = 200_000

/** A failing step of `all` or `exists` builds an error that the next step may outweigh. */
const stepsPerError = 100
/** `getHours("Europe/Berlin")` and similar calls format a date. */
const stepsPerTimeZone = 1_000

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown

/** The used part of cel-js's own `ASTNode`, beyond its public type. */
export interface Node {
  readonly op: string
  readonly args: unknown
  /** Character offsets in the source, from 0; the end is exclusive. */
  readonly start: number
  readonly end: number
  readonly meta: {
    readonly evaluate: Evaluate
    /** The expansion of a macro such as `all`. */
    readonly alternate?: Node
    readonly macro?: { readonly evaluate: Evaluate; readonly val?: Node; readonly exp?: Node }
  }
  evaluate: Evaluate
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "op" in value && "meta" in value && "evaluate" in value

/** The direct children of a node, including a macro's expansion. */
export const nodesBelow = (node: Node): ReadonlyArray<Node> => {
  const { alternate, macro } = node.meta
  return [node.args, alternate, macro?.val, macro?.exp].flatMap(nodesIn)
}

const nodesIn = (value: unknown): ReadonlyArray<Node> => {
  if (isNode(value)) return [value]
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  // The parts of a comprehension: iterable, init, step.
  return typeof value === "object" && value !== null ? Object.values(value).filter(isNode) : []
}

/**
 * Steps left in the current evaluation. It is synchronous and starts no other evaluation, so there is one at a time.
 */
let left = 0

const exhausted = new Error("This expression takes too many steps for these values.")

export const spend = (steps: number): void => {
  left -= steps
  if (left < 0) throw exhausted
}

/** Runs one evaluation with a new budget. Also throws when an `||` or an `exists` swallowed the exhaustion. */
export const withinBudget = <A>(evaluate: () => A): A => {
  left = evaluationStepsMax
  const value = evaluate()
  if (left < 0) throw exhausted
  return value
}

/** The expansion of a macro over a list or a map. */
interface Comprehension {
  readonly iterable: Node
  readonly step: Node
}

/** The part of an operand that its operator reads. */
type Reading = "all" | "items" | "outside"

const operators = new Set(["==", "!=", "in", "+", "-", "*", "/", "%", "<", "<=", ">", ">="])

/** The children that pay for the size of their value, since their parent reads it. */
const readings = (node: Node): ReadonlyMap<Node, Reading> => {
  const args = node.args as ReadonlyArray<unknown>
  const operands = (reading: Reading) => nodesIn(node.args).map((operand): [Node, Reading] => [operand, reading])
  if (node.op === "in") return new Map([[args[0] as Node, "all"], [args[1] as Node, "items"]])
  if (node.op === "==" || node.op === "!=" || node.op === "+") return new Map(operands("all"))
  if (node.op === "call" || node.op === "rcall") return new Map(operands(args[0] === "join" ? "all" : "outside"))
  if (operators.has(node.op)) return new Map(operands("outside"))
  if (node.op === "comprehension") return new Map([[(node.args as Comprehension).iterable, "outside"]])
  return new Map()
}

/** The engine sorts the members of a large object to list them: about 0.4 µs each. */
const stepsPerMember = 4

/**
 * Pays for a value: a step for 16 characters or bytes, for two items, and for each compound that is read, and more for
 * its members.
 */
const weigh = (value: unknown, reading: Reading): void => {
  if (typeof value === "string" || value instanceof Uint8Array) return spend(value.length / 16)
  if (typeof value !== "object" || value === null) return
  const isList = Array.isArray(value)
  const inner: ReadonlyArray<unknown> = isList
    ? value
    : value instanceof Map
    ? [...value.values()]
    : Object.values(value)
  spend(1 + inner.length * (isList ? 0.5 : stepsPerMember))
  if (reading === "all" || reading === "items" && isList) { for (const one of inner) weigh(one, "all") }
}

interface Evaluator {
  debugType: (value: unknown) => unknown
  debugTypeDeep: (value: unknown) => unknown
}

/**
 * Prepares a checked expression for bounded evaluation. Types of values are determined without looking inside:
 * otherwise the library keeps a type permanently for each shape of nested lists and maps that it meets, and an agent
 * can send any number of shapes.
 */
export const meterTree = (root: Node): void => {
  meter(root)
  const { evaluate } = root
  root.evaluate = (evaluator, node, context) => {
    const types = evaluator as Evaluator
    if (types.debugTypeDeep !== types.debugType) types.debugTypeDeep = types.debugType
    return evaluate(evaluator, node, context)
  }
}

/** Wraps a node and all nodes below it, once, after the check: before it, macros do not have their final form. */
const meter = (node: Node, reading?: Reading): void => {
  const { alternate, evaluate, macro } = node.meta
  const inner: Evaluate = alternate !== undefined
    ? (evaluator, _, context) => alternate.evaluate(evaluator, alternate, context)
    : macro !== undefined
    ? (evaluator, _, context) => macro.evaluate(evaluator, macro, context)
    : evaluate
  const price = priceOf(node)
  node.evaluate = (evaluator, _, context) => {
    spend(price)
    const value = inner(evaluator, node, context)
    if (reading !== undefined) weigh(value, reading)
    return value
  }
  if (node.op === "comprehension") meterStep((node.args as Comprehension).step)
  const read = readings(node)
  // A macro's arguments are part of its expansion, and are reached through it.
  for (const below of alternate === undefined ? nodesBelow(node) : [alternate]) {
    if (!Object.hasOwn(below, "evaluate")) meter(below, read.get(below))
  }
}

const priceOf = (node: Node): number => {
  const [name, , argumentList] = node.op === "rcall" ? node.args as readonly [string, Node, ReadonlyArray<Node>] : []
  return name?.startsWith("get") === true && argumentList !== undefined && argumentList.length > 0
    ? stepsPerTimeZone
    : 1
}

const meterStep = (step: Node): void => {
  meter(step)
  const { evaluate } = step
  step.evaluate = (evaluator, node, context) => {
    try {
      return evaluate(evaluator, node, context)
    } catch (error) {
      left -= stepsPerError
      throw error
    }
  }
}
