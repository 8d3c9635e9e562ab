/** The answer of a create: 201, the object, and its location. Spec: reference/conventions.md "Single objects". */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

export const Created = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema.pipe(HttpApiSchema.status(201)), { location: Schema.String })

/** `path` is relative to `/api/v1`: `/agents/agt_…`. */
export const created = <A>(path: `/${string}`, body: A) =>
  HttpApiSchema.withHeaders({ body, headers: { location: `/api/v1${path}` } })
