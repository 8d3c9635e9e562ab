/** Answers that carry a credential, or tell of one, are kept by nobody. Spec: contract 1 "Caching". */
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

export const noStore = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "cache-control", "no-store"))
)
