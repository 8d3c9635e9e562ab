/** Reads bodies of other APIs: unknown fields are ignored, and a wrong known one is refused with its path. Pure. */
import { type ApiError, invalidField } from "@countersign/domain/errors"
import { isJsonObject } from "@countersign/domain/json"
import { Effect } from "effect"
import type { JsonObject, Prompt, PromptPart } from "../providers/model-prompt.ts"

/** A call as the door reads it. Without `max_tokens` the hub chooses a limit. */
export interface DoorCall {
  readonly prompt: Omit<Prompt, "max_tokens"> & { readonly max_tokens?: number }
  readonly stream: boolean
  /** The reader wants the usage in a separate event. */
  readonly includeUsage: boolean
}

export const messagesMax = 10_000
export const toolsMax = 1_024
const maxTokensMax = 10_000_000

class Problem extends Error {
  readonly path: string
  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

/** @throws Problem */
export const wrong = (path: string, message: string): never => {
  throw new Problem(path, message)
}

/** Runs a reader; its problem is a 400. */
export const reading = <A>(read: () => A): Effect.Effect<A, ApiError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      return error instanceof Problem ? Effect.fail(invalidField(error.path, error.message)) : Effect.die(error)
    }
  })

export const objectAt = (value: unknown, path: string): JsonObject =>
  isJsonObject(value) ? value : wrong(path, "expected an object")

export const listAt = (value: unknown, path: string, max: number): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) return wrong(path, "expected a list")
  return value.length <= max ? value : wrong(path, `expected at most ${max} entries`)
}

export const textAt = (value: unknown, path: string): string =>
  typeof value === "string" ? value : wrong(path, "expected text")

export const nameAt = (value: unknown, path: string): string => {
  const name = textAt(value, path)
  return /^[A-Za-z0-9_.:/-]{1,200}$/u.test(name)
    ? name
    : wrong(path, "expected a name of 1 to 200 letters, digits, _ . : / and -")
}

export const modelAt = (value: unknown): string => {
  const model = textAt(value, "model")
  return /^[\x21-\x7e]{1,200}$/u.test(model) ? model : wrong("model", "expected a model's id, see GET /v1/models")
}

/** Absent and null are the same. */
export const optional = <A>(value: unknown, read: (value: unknown) => A): A | undefined =>
  value === undefined || value === null ? undefined : read(value)

export const numberAt = (path: string, minimum: number, maximum: number) => (value: unknown): number =>
  typeof value === "number" && value >= minimum && value <= maximum
    ? value
    : wrong(path, `expected a number from ${minimum} to ${maximum}`)

export const countAt = (path: string) => (value: unknown): number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxTokensMax
    ? Number(value)
    : wrong(path, `expected an integer from 1 to ${maxTokensMax}`)

export const stopAt = (path: string) => (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : listAt(value, path, 16).map((each, at) => textAt(each, `${path}.${at}`))

/** Only https and data: a provider would read any other address from its own network. */
export const imageAt = (value: unknown, path: string): PromptPart => {
  const url = textAt(value, path)
  return /^(?:https:\/\/|data:image\/[a-z0-9.+-]+;base64,)/iu.test(url)
    ? { type: "image", url }
    : wrong(path, "expected an https URL, or data:image/…;base64,…")
}

export const effortAt = (path: string) => (value: unknown): string => {
  const effort = textAt(value, path)
  return /^[a-z]{1,16}$/u.test(effort) ? effort : wrong(path, "expected an effort such as low, medium, or high")
}

/** Content as a text, or as a list of parts that `partAt` reads. */
export const contentOf =
  (partAt: (value: unknown, path: string) => PromptPart) => (value: unknown, path: string): ReadonlyArray<PromptPart> =>
    typeof value === "string"
      ? [{ type: "text", text: value }]
      : listAt(value, path, messagesMax).map((part, at) => partAt(part, `${path}.${at}`))
