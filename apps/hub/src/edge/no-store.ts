/** Responses that contain or describe a credential are not cached. Spec: reference/conventions.md "Caching". */
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

export const noStore = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "cache-control", "no-store"))
)
