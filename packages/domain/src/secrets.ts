/** Secrets of a workspace: written, never read back. Spec: reference/services.md "Secrets". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { Page, PageQuery } from "./pagination.ts"
import { SecretName } from "./services.ts"

export const secretLengthMax = 16_384
/** Per workspace. */
export const secretsMax = 1_000

export const SecretInput = Schema.Struct({
  value: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(secretLengthMax))
}).annotate({ identifier: "SecretInput" })

/** No answer contains its value. */
export const Secret = Schema.Struct({
  name: SecretName,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Secret" })
export type Secret = typeof Secret.Type

const params = { name: SecretName }

export class SecretsGroup extends HttpApiGroup.make("secrets").add(
  HttpApiEndpoint.get("list", "/secrets", { query: PageQuery, success: Page(Secret) })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(
      OpenApi.Description,
      "Names only, sorted by name."
    ),
  HttpApiEndpoint.put("put", "/secrets/:name", { params, payload: SecretInput, success: [Secret, Created(Secret)] })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(
      OpenApi.Description,
      "201 for a new secret, 200 if it replaces a value. Encrypted at rest (AES-256-GCM); no endpoint returns " +
        "the value."
    ),
  HttpApiEndpoint.delete("remove", "/secrets/:name", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "catalog:write")
) {}
