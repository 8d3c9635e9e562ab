/**
 * The fields and names that a condition reads of a request for one operation: payload fields, fields with a presence
 * check, services, and operations. Pure.
 */
import { parse } from "@marcbachmann/cel-js"
import { isNode, type Node } from "./expression-meter.ts"

export interface ConditionReads {
  /** Payload fields that the condition reads for this operation, each without the path below a list. */
  readonly paths: ReadonlyArray<ReadonlyArray<string>>
  /** Fields with a presence check anywhere in the condition, as JSON of their path. */
  readonly guarded: ReadonlySet<string>
  /** Names of services and operations in the condition's comparisons. */
  readonly services: ReadonlySet<string>
  readonly operations: ReadonlySet<string>
}

interface Called {
  readonly service: string
  readonly operation: string
}

/** The value of a part for the operation, where its names alone determine it, and the fields that it reads. */
interface Part {
  readonly truth?: boolean
  readonly paths: ReadonlyArray<ReadonlyArray<string>>
}

const argsOf = (node: Node): ReadonlyArray<unknown> => Array.isArray(node.args) ? node.args : [node.args]

const literal = (node: unknown): unknown => isNode(node) && node.op === "value" ? node.args : undefined

/** The path of `payload.a["b"]`; undefined for other expressions. */
const pathOf = (node: unknown): ReadonlyArray<string> | undefined => {
  if (!isNode(node)) return undefined
  if (node.op === "id") return node.args === "payload" ? [] : undefined
  const [holder, member] = argsOf(node)
  const name = node.op === "." ? member : node.op === "[]" ? literal(member) : undefined
  const base = typeof name === "string" ? pathOf(holder) : undefined
  return base === undefined ? undefined : [...base, name as string]
}

class Reader {
  readonly guarded = new Set<string>()
  readonly services = new Set<string>()
  readonly operations = new Set<string>()
  readonly #called: Called

  constructor(called: Called) {
    this.#called = called
  }

  read(node: unknown): Part {
    if (Array.isArray(node)) return { paths: node.flatMap((one) => this.read(one).paths) }
    if (!isNode(node)) return { paths: [] }
    const path = pathOf(node)
    if (path !== undefined) return { paths: path.length === 0 ? [] : [path] }
    const args = argsOf(node)
    switch (node.op) {
      case "&&":
      case "||":
        return this.#joined(node.op === "||", args)
      case "!_": {
        const { paths, truth } = this.read(args[0])
        return truth === undefined ? { paths } : { truth: !truth, paths }
      }
      case "?:": {
        const condition = this.read(args[0])
        if (condition.truth !== undefined) return this.read(condition.truth ? args[1] : args[2])
        return { paths: args.flatMap((one) => this.read(one).paths) }
      }
      case "==":
      case "!=":
        return this.#compared(node.op === "!=", args)
      case "in":
        return this.#within(args)
      case "call":
        return args[0] === "has" ? this.#has(args[1]) : this.read(args.slice(1))
      default:
        return this.read(args)
    }
  }

  /** A part that decides alone makes the other's fields irrelevant: in CEL, an error does not outweigh it. */
  #joined(decides: boolean, args: ReadonlyArray<unknown>): Part {
    const parts = args.map((one) => this.read(one))
    if (parts.some(({ truth }) => truth === decides)) return { truth: decides, paths: [] }
    const paths = parts.flatMap(({ paths }) => paths)
    return parts.every(({ truth }) => truth !== undefined) ? { truth: !decides, paths } : { paths }
  }

  #nameOf(node: unknown): "service" | "operation" | undefined {
    if (!isNode(node) || node.op !== "id") return undefined
    return node.args === "service" || node.args === "operation" ? node.args : undefined
  }

  #note(kind: "service" | "operation", value: string): void {
    ;(kind === "service" ? this.services : this.operations).add(value)
  }

  #compared(negates: boolean, args: ReadonlyArray<unknown>): Part {
    for (const [one, other] of [[args[0], args[1]], [args[1], args[0]]] as const) {
      const kind = this.#nameOf(one)
      const value = literal(other)
      if (kind === undefined || typeof value !== "string") continue
      this.#note(kind, value)
      return { truth: (this.#called[kind] === value) !== negates, paths: [] }
    }
    return this.read(args)
  }

  #within([item, holder]: ReadonlyArray<unknown>): Part {
    const kind = this.#nameOf(item)
    if (kind !== undefined && isNode(holder) && holder.op === "list") {
      const values = argsOf(holder).map(literal)
      if (values.every((value) => typeof value === "string")) {
        for (const value of values) this.#note(kind, value)
        return { truth: values.includes(this.#called[kind]), paths: [] }
      }
    }
    const name = literal(item)
    const path = pathOf(holder)
    if (typeof name === "string" && path !== undefined) this.guarded.add(JSON.stringify([...path, name]))
    return this.read([item, holder])
  }

  #has(arg: unknown): Part {
    const path = pathOf(Array.isArray(arg) ? arg[0] : arg)
    if (path === undefined) return this.read(arg)
    this.guarded.add(JSON.stringify(path))
    return { paths: path.length > 1 ? [path.slice(0, -1)] : [] }
  }
}

/** The syntax tree of a condition that passed `compileCondition`. */
export const conditionSyntax = (source: string): unknown => parse(source).ast

export const conditionReads = (syntax: unknown, called: Called): ConditionReads => {
  const reader = new Reader(called)
  const { paths } = reader.read(syntax)
  const { guarded, operations, services } = reader
  const own = new Map(paths.map((path) => [JSON.stringify(path), path]))
  return { paths: [...own.values()], guarded, operations, services }
}
