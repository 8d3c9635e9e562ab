/**
 * Form encoding of JSON values, for queries and for `application/x-www-form-urlencoded` bodies. Members of objects are
 * written in brackets, `metadata[order]=1`, as Stripe, PHP, Rails, and `qs` read them. Spec: reference/services.md
 * "Bodies and queries".
 */
import { Result } from "effect"
import type { Detail } from "./errors.ts"
import { isJsonObject } from "./json.ts"

/** How lists are written: `form` repeats the name for each item, `deepObject` numbers them in brackets. */
export type ListStyle = "form" | "deepObject"

/** Length of one encoded form, in characters: a long name above many values is repeated for each of them. */
export const formLengthMax = 4_194_304
export const formDepthMax = 64

export interface FormOptions {
  /** `form`: a list of scalars repeats its name. A list of objects is always numbered. */
  readonly lists: ListStyle
  /** Brackets as `%5B` and `%5D`, which a query needs; a body needs no encoding. */
  readonly encodeBrackets: boolean
  /** `empty`: null is an empty value, which unsets a field at Stripe. `omit`: it is left out. */
  readonly nulls: "empty" | "omit"
}

type Encoded = Result.Result<string, ReadonlyArray<Detail>>

class FormWriter {
  readonly pairs: Array<string> = []
  readonly #options: FormOptions
  #left = formLengthMax
  problem: string | undefined

  constructor(options: FormOptions) {
    this.#options = options
  }

  write(name: string, value: unknown, depth: number): void {
    if (this.problem !== undefined || value === undefined) return
    if (depth > formDepthMax) {
      this.problem = `A form can be nested at most ${formDepthMax} levels deep.`
    } else if (value === null) {
      if (this.#options.nulls === "empty") this.#pair(name, "")
    } else if (Array.isArray(value)) this.#list(name, value, depth)
    else if (isJsonObject(value)) {
      for (const member of Object.keys(value)) this.write(this.#within(name, member), value[member], depth + 1)
    } else this.#pair(name, String(value))
  }

  #list(name: string, items: ReadonlyArray<unknown>, depth: number): void {
    const repeats = this.#options.lists === "form" && items.every((item) => typeof item !== "object" || item === null)
    items.forEach((item, at) => this.write(repeats ? name : this.#within(name, String(at)), item, depth + 1))
  }

  #within(name: string, member: string): string {
    const inner = encoded(member)
    return this.#options.encodeBrackets ? `${name}%5B${inner}%5D` : `${name}[${inner}]`
  }

  #pair(name: string, value: string): void {
    const pair = `${name}=${encoded(value)}`
    this.#left -= pair.length + 1
    if (this.#left < 0) this.problem = "The provider's request would be larger than 4 MiB."
    else this.pairs.push(pair)
  }
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/**
 * `name=value` pairs joined by `&`, names and values percent-encoded. Fails where the form becomes too long or too
 * deep.
 */
export const encodeForm = (fields: { readonly [name: string]: unknown }, options: FormOptions): Encoded => {
  const writer = new FormWriter(options)
  for (const name of Object.keys(fields)) writer.write(encoded(name), fields[name], 1)
  return writer.problem === undefined
    ? Result.succeed(writer.pairs.join("&"))
    : Result.fail([{ path: "payload", message: writer.problem }])
}
