/** What stands at the root: the rendered reference, and the probes at the addresses that orchestrators ask by habit. */
import { HubApi } from "@countersign/domain/api"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { answers } from "./http.ts"
import { Discovery, openApiDocument } from "./service.ts"

const probes = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { health, metrics, ready } = answers(yield* Discovery)
  yield* router.add("GET", "/health", health)
  yield* router.add("GET", "/ready", ready)
  yield* router.add("GET", "/metrics", metrics)
}))

/** `/docs`, `/health`, `/ready`, `/metrics`. The reference carries its script with it: nothing is loaded from elsewhere. */
export const docsLayer = Layer.mergeAll(
  HttpApiScalar.layer(HubApi.annotate(OpenApi.Transform, openApiDocument), { path: "/docs" }),
  probes
)
