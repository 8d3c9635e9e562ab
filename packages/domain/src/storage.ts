/** Object storage of a workspace: uploads, downloads, and a trash of seven days. Spec: reference/storage.md "Endpoints". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AnyAccess,
  PublicAccess,
  ReadsBody,
  RefusesTokens,
  Requires,
  SessionAccess,
  StaysOpen,
  WorkspaceInQuery
} from "./auth.ts"
import { Created } from "./created.ts"
import { OrgId, StorageObjectId } from "./ids.ts"
import { Page, PageQuery, sortBy } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { controlRange, hasInvisible } from "./text.ts"

export const objectKeyBytesMax = 512
export const contentTypeMax = 255
/** The largest body of a direct upload. A presigned upload takes an object of any size within the limits. */
export const directUploadBytesMax = 32 * 1024 * 1024
export const metadataEntriesMax = 50
export const metadataNameMax = 64
export const metadataValueMax = 500
/** How long a deleted object can be restored. */
export const restoreDays = 7
/** How long an upload may stay unconfirmed, in hours. */
export const pendingHours = 24
export const uploadUrlSeconds = 15 * 60
export const downloadUrlSeconds = 5 * 60
/** A confirmation that takes longer is answered with 202, and continues in the background. */
export const confirmSeconds = 30
/** The most folders of one level that are listed. */
export const foldersMax = 1_000

const utf8Bytes = (text: string): number => {
  let bytes = 0
  for (const character of text) {
    const point = character.codePointAt(0)!
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return bytes
}

const controls = new RegExp(`[${controlRange}\\u2028\\u2029]`, "u")

/** The reason why a text is no key of an object. Keys are compared in Unicode's form NFC. */
export const objectKeyProblem = (text: string): string | undefined => {
  if (!text.isWellFormed()) return "expected well-formed text"
  // Long runs of combining characters take quadratic time.
  if (text.length > objectKeyBytesMax) return `expected at most ${objectKeyBytesMax} bytes in UTF-8`
  const key = text.normalize("NFC")
  if (key === "") return "expected at least one character"
  if (utf8Bytes(key) > objectKeyBytesMax) return `expected at most ${objectKeyBytesMax} bytes in UTF-8`
  if (controls.test(key)) return "expected no control characters"
  if (hasInvisible(key)) return "expected text without invisible characters or direction marks"
  const segments = key.split("/")
  if (segments.includes("")) return "expected no empty segment: no slash at the ends, and no two in a row"
  return segments.includes(".") || segments.includes("..") ? "expected no segment . or .." : undefined
}

export const normalizeKey = (text: string): string => text.normalize("NFC")

export const ObjectKey = Schema.String.check(
  Schema.isMaxLength(objectKeyBytesMax),
  Schema.makeFilter(objectKeyProblem)
).annotate({
  description: `1 to ${objectKeyBytesMax} bytes of UTF-8, made NFC; segments between slashes are not empty, . or ..`
})

/** The beginning of keys; a folder ends with a slash. */
export const KeyPrefix = Schema.String.check(
  Schema.isMaxLength(objectKeyBytesMax),
  Schema.makeFilter((text: string) =>
    text.isWellFormed() && !controls.test(text) ? undefined : "expected well-formed text without control characters"
  )
)

export const ContentType = Schema.String.check(
  Schema.isMaxLength(contentTypeMax),
  matching(
    /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(?: ?; ?[A-Za-z0-9!#$&^_.+-]+=(?:[A-Za-z0-9!#$&^_.+:/-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/u,
    "a media type such as image/png"
  )
)

const Sha256 = Schema.String.check(matching(/^[0-9a-f]{64}$/u, "64 hexadecimal digits in lower case"))

const metadataName = new RegExp(`^[A-Za-z0-9_.-]{1,${metadataNameMax}}$`, "u")

export const ObjectMetadata = Schema.Record(
  Schema.String,
  Schema.String.check(
    Schema.isMaxLength(metadataValueMax),
    Schema.makeFilter((text: string) => text.isWellFormed() ? undefined : "expected well-formed text")
  )
).check(
  Schema.makeFilter((metadata: Readonly<Record<string, string>>) => {
    const names = Object.keys(metadata)
    if (names.length > metadataEntriesMax) return `expected at most ${metadataEntriesMax} entries`
    return names.every((name) => metadataName.test(name))
      ? undefined
      : `expected names of up to ${metadataNameMax} letters, digits, dots, dashes, and underscores`
  })
).annotate({ description: `At most ${metadataEntriesMax} texts of up to ${metadataValueMax} characters` })
export type ObjectMetadata = typeof ObjectMetadata.Type

export const ObjectStatus = Schema.Literals(["pending", "verifying", "live", "deleted"])
export type ObjectStatus = typeof ObjectStatus.Type

export const StorageObject = Schema.Struct({
  id: StorageObjectId,
  key: Schema.String,
  content_type: Schema.String,
  size_bytes: Schema.Int,
  /** Of the stored bytes; absent until the object is confirmed. */
  sha256: Schema.optionalKey(Schema.String),
  status: ObjectStatus,
  metadata: Schema.Record(Schema.String, Schema.String),
  created_at: Schema.String,
  /** The object can be restored for seven days from here on. */
  deleted_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "StorageObject" })
export type StorageObject = typeof StorageObject.Type

export const PresignUploadInput = Schema.Struct({
  key: ObjectKey,
  content_type: ContentType,
  size_bytes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  /** If sent, the upload is confirmed only with these bytes. */
  sha256: Schema.optionalKey(Sha256)
}).annotate({ identifier: "PresignUploadInput" })
export type PresignUploadInput = typeof PresignUploadInput.Type

export const PresignedUpload = Schema.Struct({
  object_id: StorageObjectId,
  url: Schema.String,
  method: Schema.Literal("PUT"),
  /** Send these headers and exactly `size_bytes` bytes. */
  headers: Schema.Record(Schema.String, Schema.String),
  expires_at: Schema.String
}).annotate({ identifier: "PresignedUpload" })
export type PresignedUpload = typeof PresignedUpload.Type

export const UpdateObjectInput = Schema.Struct({
  key: Schema.optionalKey(ObjectKey),
  /** Replaces all entries. */
  metadata: Schema.optionalKey(ObjectMetadata)
}).annotate({ identifier: "UpdateObjectInput" })
export type UpdateObjectInput = typeof UpdateObjectInput.Type

export const StorageUsage = Schema.Struct({
  /** Bytes of pending, live, and deleted objects: they count against the limit. */
  used_bytes: Schema.Int,
  deleted_bytes: Schema.Int,
  max_bytes: Schema.Int,
  object_max_bytes: Schema.Int
}).annotate({ identifier: "StorageUsage" })
export type StorageUsage = typeof StorageUsage.Type

export const Folders = Schema.Struct({
  /** The folders directly in `prefix`, as prefixes: `reports/2026/`. */
  data: Schema.Array(Schema.String),
  next_cursor: Schema.Null,
  as_of: Schema.String
}).annotate({ identifier: "StorageFolders" })
export type Folders = typeof Folders.Type

export const objectSorts = sortBy(["created_at", "key"])

const params = { id: StorageObjectId }

export class StorageGroup extends HttpApiGroup.make("storage").add(
  HttpApiEndpoint.get("list", "/storage/objects", {
    query: {
      ...PageQuery,
      prefix: Schema.optionalKey(KeyPrefix),
      /** Only objects directly in the folder `prefix`. */
      delimiter: Schema.optionalKey(Schema.Literal("/")),
      status: Schema.optionalKey(Schema.Literals(["live", "deleted"])),
      sort: objectSorts
    },
    success: Page(StorageObject)
  }).middleware(AnyAccess).annotate(Requires, "storage:read").annotate(RefusesTokens, true).annotate(
    OpenApi.Description,
    "Live objects whose keys begin with `prefix`, newest first; with `status=deleted` those that can be restored. " +
      "`delimiter=/` leaves out objects in folders below. An agent needs an enabled binding of service `storage`; a " +
      "token is 403 `session_required`. Members see their own objects and those of their agents."
  ),
  HttpApiEndpoint.get("folders", "/storage/folders", {
    query: { prefix: Schema.optionalKey(KeyPrefix) },
    success: Folders
  }).middleware(SessionAccess).annotate(Requires, "storage:read").annotate(
    OpenApi.Description,
    `The folders directly in \`prefix\`, by name; the first ${foldersMax}. A folder exists while a live object is in it.`
  ),
  HttpApiEndpoint.get("usage", "/storage/usage", { success: StorageUsage })
    .middleware(SessionAccess).annotate(Requires, "storage:read").annotate(
      OpenApi.Description,
      "How much of the workspace's limit is used."
    ),
  HttpApiEndpoint.post("presignUpload", "/storage/objects/presign-upload", {
    payload: PresignUploadInput,
    success: PresignedUpload.pipe(HttpApiSchema.status(201))
  }).middleware(SessionAccess).annotate(Requires, "storage:write").annotate(
    OpenApi.Description,
    `Reserves the size and answers a URL for one PUT, valid for ${uploadUrlSeconds / 60} minutes. Then confirm the ` +
      `object. An upload that is not confirmed is removed after ${pendingHours} hours. Over a limit: 409 ` +
      "`storage_quota_exceeded`."
  ),
  HttpApiEndpoint.post("confirm", "/storage/objects/:id/confirm", {
    params,
    success: [StorageObject, StorageObject.pipe(HttpApiSchema.status(202))]
  }).middleware(SessionAccess).annotate(Requires, "storage:write").annotate(StaysOpen, true).annotate(
    OpenApi.Description,
    "Verifies size and SHA-256 of the uploaded bytes, then lists the object. Other bytes are 409 `checksum_mismatch`, " +
      "none 409 `not_uploaded`; upload again while the URL is valid. After " +
      `${confirmSeconds} s the answer is 202 with status \`verifying\`, and the verification continues. An object with ` +
      "the same key is deleted softly; if it belongs to somebody else, a member gets 409 `key_taken`. Repeating a " +
      "confirmation changes nothing."
  ),
  HttpApiEndpoint.post("upload", "/storage/objects", {
    query: { key: Schema.optionalKey(ObjectKey), content_type: Schema.optionalKey(ContentType) },
    payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" })),
    success: Created(StorageObject)
  }).middleware(SessionAccess).annotate(Requires, "storage:write").annotate(ReadsBody, true).annotate(
    OpenApi.Description,
    "Stores the body under `key`: `application/octet-stream` with query `key` (and `content_type` of the object), or " +
      `\`multipart/form-data\` with the fields \`key\` and \`file\`. At most ${directUploadBytesMax / 1024 / 1024} MiB.`
  ),
  HttpApiEndpoint.get("get", "/storage/objects/:id", { params, success: StorageObject })
    .middleware(SessionAccess).annotate(Requires, "storage:read").annotate(
      OpenApi.Description,
      "One object, in any status."
    ),
  HttpApiEndpoint.get("download", "/storage/objects/:id/download", {
    params,
    query: {
      workspace: Schema.optionalKey(OrgId),
      disposition: Schema.optionalKey(Schema.Literals(["inline", "attachment"]))
    },
    success: HttpApiSchema.Empty(302)
  }).middleware(SessionAccess).annotate(Requires, "storage:read").annotate(WorkspaceInQuery, true).annotate(
    OpenApi.Description,
    `Redirects to a signed URL, valid for ${
      downloadUrlSeconds / 60
    } minutes. Images, audio, video, and plain text are ` +
      "shown by browsers unless `disposition=attachment`; all other types are always saved as a file."
  ),
  HttpApiEndpoint.patch("update", "/storage/objects/:id", {
    params,
    payload: UpdateObjectInput,
    success: StorageObject
  }).middleware(SessionAccess).annotate(Requires, "storage:write").annotate(
    OpenApi.Description,
    "Renames a live object, or replaces its metadata. The key of another object is 409 `key_taken`."
  ),
  HttpApiEndpoint.delete("remove", "/storage/objects/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(SessionAccess).annotate(Requires, "storage:write").annotate(
      OpenApi.Description,
      `Deletes an object; it can be restored for ${restoreDays} days and counts against the limit until then. A ` +
        "pending upload is removed at once."
    ),
  HttpApiEndpoint.post("restore", "/storage/objects/:id/restore", { params, success: StorageObject })
    .middleware(SessionAccess).annotate(Requires, "storage:write").annotate(
      OpenApi.Description,
      `Restores a deleted object within ${restoreDays} days; after that 410. If another object has its key: 409 ` +
        "`key_taken`."
    )
) {}

const token = { token: Schema.String.check(Schema.isMaxLength(1_024)) }

/** Addresses of signed URLs, while objects are in the hub's own directory. */
export class StorageBlobsGroup extends HttpApiGroup.make("storage_blobs").add(
  HttpApiEndpoint.get("read", "/storage/blobs/:token", {
    params: token,
    success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }))
  }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "The bytes of a signed download. Supports `Range`, `If-Range`, and `If-None-Match`. An invalid token is 404, an " +
      "expired one 410."
  ),
  HttpApiEndpoint.put("write", "/storage/blobs/:token", {
    params: token,
    payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" })),
    success: HttpApiSchema.Empty(200)
  }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "The target of a signed upload: exactly the declared type and length. It may be repeated until the object is " +
      "confirmed. An invalid token is 404, an expired one 410."
  )
) {}
