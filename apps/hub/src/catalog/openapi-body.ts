/** The body of an OpenAPI operation as a template and a type. */
import type { BodyType } from "@countersign/domain/services"
import {
  described,
  isScalarList,
  jsonContent,
  kindOf,
  type PayloadShape,
  plainFields,
  separatedText,
  templateOf,
  withoutReadOnly
} from "./openapi-payload.ts"
import type { SchemaBundle } from "./openapi-schema.ts"
import { isObject, type JsonObject } from "./openapi-values.ts"

export interface CarriedBody {
  /** Absent: the payload is the body, or nothing is sent. */
  readonly body?: unknown
  readonly type?: BodyType
  /** The schema of the payload if the payload is the body. */
  readonly whole?: JsonObject
  /** Lists repeat their name. */
  readonly repeatsLists?: boolean
  readonly notes: ReadonlyArray<string>
}

interface Media {
  readonly type: BodyType
  readonly content: JsonObject
}

const mediaOf = (content: unknown): Media | undefined => {
  const json = jsonContent(content)
  if (json !== undefined) return { type: "json", content: json }
  if (!isObject(content)) return undefined
  for (
    const [type, form] of [
      ["form", /^application\/x-www-form-urlencoded/i],
      ["multipart", /^multipart\/form-data/i],
      ["text", /^text\/plain/i]
    ] as const
  ) {
    const name = Object.keys(content).find((each) => form.test(each))
    const media = name === undefined ? undefined : content[name]
    if (isObject(media)) return { type, content: media }
  }
  return undefined
}

/** The schema of a file in an agent's payload. */
const fileSchema = (description: unknown): JsonObject => ({
  type: "object",
  ...described({}, description) as object,
  properties: {
    base64: { type: "string", description: "The file's bytes in base64." },
    filename: { type: "string" },
    content_type: { type: "string", description: "Such as image/png." }
  },
  required: ["base64"],
  additionalProperties: false
})

const isBinary = (schema: unknown): schema is JsonObject =>
  isObject(schema) &&
  (schema["format"] === "binary" || schema["contentMediaType"] !== undefined && schema["contentEncoding"] === undefined)

class FieldsCarrier {
  readonly notes: Array<string> = []
  readonly body: Record<string, string> = {}
  repeats = false
  brackets = false
  readonly #bundle: SchemaBundle
  readonly #shape: PayloadShape
  readonly #media: Media

  constructor(bundle: SchemaBundle, shape: PayloadShape, media: Media) {
    this.#bundle = bundle
    this.#shape = shape
    this.#media = media
  }

  #encodingOf(name: string): JsonObject {
    const encoding = this.#media.content["encoding"]
    const own = isObject(encoding) && Object.hasOwn(encoding, name) ? encoding[name] : undefined
    return isObject(own) ? own : {}
  }

  #binary(schema: unknown): JsonObject | undefined {
    if (this.#media.type !== "multipart") return undefined
    const target = this.#bundle.follow(schema)
    if (isBinary(target)) return fileSchema(target["description"])
    const items = isObject(target) && target["type"] === "array" ? this.#bundle.follow(target["items"]) : undefined
    return isBinary(items) ? { type: "array", items: fileSchema(items["description"]) } : undefined
  }

  /** Returns why the field cannot be imported. */
  add(name: string, schema: unknown, required: boolean): string | undefined {
    const { contentType, explode, style } = this.#encodingOf(name)
    const isList = kindOf(this.#bundle, schema) === "array"
    if (this.#media.type === "form" && typeof contentType === "string" && /json/i.test(contentType)) {
      return "fields are not written as JSON"
    }
    const isJoined = this.#media.type === "form" && isList && style !== "deepObject" && explode === false
    if (this.#media.type === "form" && isList && !isJoined && isScalarList(this.#bundle, schema)) {
      if (style === "deepObject") this.brackets = true
      else this.repeats = true
    }
    const target = this.#bundle.follow(schema)
    const kept = isJoined
      ? separatedText(
        style === "spaceDelimited" ? "spaces" : style === "pipeDelimited" ? "|" : "commas",
        isObject(target) ? target["description"] : undefined
      )
      : this.#binary(schema) ?? this.#bundle.convert(schema)
    this.body[name] = templateOf(this.#shape.add(name, "body", kept, required))
    return undefined
  }
}

const carryFields = (
  bundle: SchemaBundle,
  shape: PayloadShape,
  media: Media,
  fields: NonNullable<ReturnType<typeof plainFields>>,
  required: boolean
): CarriedBody | string => {
  const carrier = new FieldsCarrier(bundle, shape, media)
  for (const [name, schema] of Object.entries(fields.properties)) {
    const isNeeded = required && fields.required.includes(name)
    const reason = carrier.add(name, schema, isNeeded)
    if (reason === undefined) continue
    if (isNeeded) return `it needs the field "${name}", and ${reason}`
    carrier.notes.push(`The optional field "${name}" is left out: ${reason}.`)
  }
  const isMixed = carrier.repeats && carrier.brackets
  return {
    body: carrier.body,
    ...media.type === "json" ? {} : { type: media.type },
    ...carrier.repeats && !carrier.brackets ? { repeatsLists: true } : {},
    notes: isMixed
      ? [...carrier.notes, "Lists of its form that repeat their name are sent in brackets, like its other lists."]
      : carrier.notes
  }
}

const isFieldless = (schema: unknown): boolean => {
  const fields = plainFields(schema)
  return fields !== undefined && Object.keys(fields.properties).length === 0
}

/** Adds the body to the payload, after the parameters; returns the reason if it cannot be imported. */
export const carryBody = (
  bundle: SchemaBundle,
  shape: PayloadShape,
  method: string,
  given: unknown
): CarriedBody | string => {
  const requestBody = bundle.follow(given)
  if (
    !isObject(requestBody) || Object.keys(isObject(requestBody["content"]) ? requestBody["content"] : {}).length === 0
  ) return { notes: [] }
  const media = mediaOf(requestBody["content"])
  if (method === "GET" || method === "HEAD") {
    // Stripe's document gives each GET a form without fields.
    return media !== undefined && isFieldless(bundle.follow(media.content["schema"]))
      ? { notes: [] }
      : `its body cannot be sent with ${method}`
  }
  if (media === undefined) {
    return `its body is ${
      Object.keys(requestBody["content"] as object).slice(0, 3).join(", ").slice(0, 200)
    }; JSON, forms, and plain text are sent`
  }
  const required = requestBody["required"] === true
  const type = media.type === "json" ? {} : { type: media.type }
  const givenSchema = media.content["schema"]
  const schema = bundle.follow(givenSchema)
  if (schema === undefined && givenSchema !== undefined) return "the schema of its body refers to itself only"
  if (media.type === "text") {
    return {
      body: templateOf(shape.add("text", "body", bundle.convert(givenSchema ?? { type: "string" }), required)),
      ...type,
      notes: []
    }
  }
  const fields = plainFields(schema)
  if (fields === undefined) {
    const kind = kindOf(bundle, schema)
    if (media.type !== "json" && (kind === "array" || kind === "scalar")) return `its ${media.type} body is no object`
    return {
      body: templateOf(shape.add("body", media.type, bundle.convert(givenSchema), required)),
      ...type,
      notes: []
    }
  }
  if (media.type === "json" && shape.isEmpty) {
    const whole = withoutReadOnly(bundle.convert(schema) as JsonObject, fields.readOnly)
    // DELETE sends a body only if one is declared.
    return { whole, ...method === "DELETE" ? { body: "${payload}" } : {}, notes: [] }
  }
  return carryFields(bundle, shape, media, fields, required)
}
