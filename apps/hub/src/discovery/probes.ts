/** The probes at the root, where orchestrators expect them: `/health`, `/ready`, `/metrics`. */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Settings } from "../config.ts"
import { answers } from "./http.ts"
import { Discovery } from "./service.ts"

export const probesLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { health, metrics, ready } = answers(yield* Discovery, yield* Settings)
  yield* router.add("GET", "/health", health)
  yield* router.add("GET", "/ready", ready)
  yield* router.add("GET", "/metrics", metrics)
}))
