/** The state of one validation: its place, its problems, its remaining steps, and the evaluated members and items. */
import type { Detail } from "./errors.ts"
import { type JsonObject, problemsMax, type Schema } from "./json-schema-shape.ts"
import { dottedPath } from "./json.ts"
import type { Regex } from "./regex.ts"

/**
 * Returns whether a value conforms. A collecting run continues after a failure and notes each problem; any other run
 * stops at the first.
 */
export type Check = (value: unknown, run: Run) => boolean

export type Compile = (schema: unknown) => Check

/** The check of one keyword; undefined for a schema without the keyword. */
export type Keyword = (schema: JsonObject, compile: Compile, root: Schema) => Check | undefined

/**
 * Steps of one validation: one for each schema applied to each value, more for patterns and long lists. A million take
 * about 0.1 s.
 */
export const validationStepsMax = 1_000_000

/** A noted problem costs its path and its text. */
const stepsPerProblem = 20

/** Steps of a linear match that count as one step here. */
const matchStepsPerStep = 16

/** Thrown when the steps are used up; the validator catches it. */
export class Exhausted extends Error {}

/** Names and items of one value that a schema and its in-place subschemas have evaluated (2020-12, section 11). */
export class Evaluated {
  readonly names = new Set<string>()
  readonly items = new Set<number>()
  add(other: Evaluated): void {
    for (const name of other.names) this.names.add(name)
    for (const item of other.items) this.items.add(item)
  }
}

export class Run {
  readonly #at: string
  readonly #path: Array<string | number> = []
  #steps = validationStepsMax
  #problems = new Map<string, Detail>()
  #collects: boolean
  /** Recorded only below a schema that needs it. */
  evaluated: Evaluated | undefined = undefined

  constructor(at: string, collects: boolean) {
    this.#at = at
    this.#collects = collects
  }

  get collects(): boolean {
    return this.#collects
  }

  get problems(): ReadonlyArray<Detail> {
    return [...this.#problems.values()]
  }

  spend(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) throw new Exhausted()
  }

  matches(regex: Regex, text: string): boolean {
    this.spend(regex.cost(text.length) / matchStepsPerStep)
    return regex.test(text)
  }

  /** Notes a problem here, or at `step` below; always false, for a check to return. */
  fail(message: string, step: string | number = ""): false {
    if (this.#collects && this.#problems.size < problemsMax) {
      this.spend(stepsPerProblem)
      this.#note({ path: dottedPath(this.#at, ...this.#path, step), message })
    }
    return false
  }

  #note(problem: Detail): void {
    if (this.#problems.size < problemsMax) this.#problems.set(`${problem.path}\n${problem.message}`, problem)
  }

  /** Checks a member or an item. */
  below(check: Check, value: unknown, step: string | number): boolean {
    const { evaluated } = this
    this.evaluated = undefined
    if (this.#collects) this.#path.push(step)
    const conforms = check(value, this)
    if (this.#collects) this.#path.pop()
    this.evaluated = evaluated
    return conforms
  }

  /** Checks the same value; the evaluations of the schema count only if the value conforms. */
  applyInPlace(check: Check, value: unknown): boolean {
    const { evaluated } = this
    if (evaluated === undefined) return check(value, this)
    const inner = this.evaluated = new Evaluated()
    const conforms = check(value, this)
    this.evaluated = evaluated
    if (conforms) evaluated.add(inner)
    return conforms
  }

  /** Checks without noting problems: a failed condition is not a problem. */
  silently(ask: () => boolean): boolean {
    const collects = this.#collects
    this.#collects = false
    const answer = ask()
    this.#collects = collects
    return answer
  }

  /**
   * Runs alternatives; their problems are kept only if `attempt` fails, since they then describe what each alternative
   * requires.
   */
  alternatives(attempt: () => boolean): boolean {
    if (!this.#collects) return attempt()
    const outer = this.#problems
    const inner = this.#problems = new Map()
    const conforms = attempt()
    this.#problems = outer
    this.spend(inner.size)
    if (!conforms) { for (const problem of inner.values()) this.#note(problem) }
    return conforms
  }
}
