/** The bytes of a declared operation's body, by its `body_type`. Spec: reference/services.md "Bodies and queries". */
import type { Detail } from "@countersign/domain/errors"
import { encodeForm } from "@countersign/domain/form"
import { dottedPath, isJsonObject } from "@countersign/domain/json"
import type { HttpOperation } from "@countersign/domain/services"
import { Result } from "effect"
import { createHash } from "node:crypto"

export interface EncodedBody {
  readonly body: string | Uint8Array
  readonly contentType: string
}

type Encoded = Result.Result<EncodedBody, ReadonlyArray<Detail>>

/**
 * `value` is the filled-in template of the body, or the payload. Fails with the values that the type cannot represent.
 */
export const encodeBody = (
  value: unknown,
  { body_type: type = "json", query_style: style }: Pick<HttpOperation, "body_type" | "query_style">
): Encoded => {
  if (type === "json") return Result.succeed({ body: JSON.stringify(value), contentType: "application/json" })
  if (type === "text") return encodeText(value)
  if (!isJsonObject(value)) return refuse("body", `A ${type} body must be an object.`)
  return type === "form"
    ? Result.map(
      encodeForm(value, { lists: style ?? "deepObject", encodeBrackets: false, nulls: "empty" }),
      (body) => ({ body, contentType: "application/x-www-form-urlencoded" })
    )
    : encodeMultipart(value)
}

const refuse = (path: string, message: string): Result.Result<never, ReadonlyArray<Detail>> =>
  Result.fail([{ path, message }])

const encodeText = (value: unknown): Encoded =>
  typeof value === "object"
    ? refuse("body", "A text body must be a string, a number, true, or false.")
    : Result.succeed({ body: String(value).toWellFormed(), contentType: "text/plain; charset=utf-8" })

interface Part {
  readonly name: string
  readonly bytes: Buffer
  readonly contentType?: string
  readonly filename?: string
}

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w!#$&^.+ -]*"))*$/

/** A file has exactly these members. Any other object is sent as JSON. */
const isFile = (value: { readonly [name: string]: unknown }): boolean =>
  typeof value["base64"] === "string" &&
  Object.keys(value).every((name) =>
    ["base64", "filename", "content_type"].includes(name) && typeof value[name] === "string"
  )

const filePart = (
  name: string,
  file: { readonly [name: string]: unknown }
): Result.Result<Part, ReadonlyArray<Detail>> => {
  const text = String(file["base64"]).replace(/\s+/gu, "")
  const bytes = Buffer.from(text, "base64")
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/u.test(text)) return refuse(dottedPath("body", name, "base64"), "This is not base64.")
  const contentType = String(file["content_type"] ?? "application/octet-stream")
  if (!mediaType.test(contentType)) {
    return refuse(dottedPath("body", name, "content_type"), "This is not a media type, such as image/png.")
  }
  return Result.succeed({ name, bytes, contentType, filename: String(file["filename"] ?? name) })
}

const partOf = (name: string, value: unknown): Result.Result<Part, ReadonlyArray<Detail>> => {
  if (isJsonObject(value) && isFile(value)) return filePart(name, value)
  return Result.succeed(
    typeof value === "object" && value !== null
      ? { name, bytes: Buffer.from(JSON.stringify(value)), contentType: "application/json" }
      : { name, bytes: Buffer.from(value === null ? "" : String(value).toWellFormed()) }
  )
}

/** Parts in the order of the members; each item of a list is a part with the same name. */
const encodeMultipart = (value: { readonly [name: string]: unknown }): Encoded => {
  const entries = Object.entries(value).flatMap(([name, member]) =>
    Array.isArray(member) ? member.map((item) => [name, item] as const) : [[name, member] as const]
  )
  const parts = Result.all(entries.map(([name, member]) => partOf(name, member)))
  return Result.map(parts, (parts) => {
    // A boundary derived from the parts cannot be written into one of them.
    const digest = createHash("sha256")
    for (const { bytes, name } of parts) digest.update(name).update("\0").update(bytes)
    const boundary = `countersign-${digest.digest("hex").slice(0, 40)}`
    const body = Buffer.concat([
      ...parts.flatMap((
        part
      ) => [Buffer.from(`--${boundary}\r\n${partHead(part)}\r\n\r\n`), part.bytes, Buffer.from("\r\n")]),
      Buffer.from(`--${boundary}--\r\n`)
    ])
    return { body, contentType: `multipart/form-data; boundary=${boundary}` }
  })
}

/** Names and file names as browsers escape them (WHATWG HTML, "multipart/form-data encoding algorithm"). */
const quoted = (text: string): string =>
  `"${text.toWellFormed().replaceAll("\"", "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`

const partHead = ({ contentType, filename, name }: Part): string =>
  `content-disposition: form-data; name=${quoted(name)}${
    filename === undefined ? "" : `; filename=${quoted(filename)}`
  }` +
  (contentType === undefined ? "" : `\r\ncontent-type: ${contentType}`)
