/**
 * The busiest endpoint without what a framework does for any endpoint: `POST /service-requests` by an agent's key takes the same steps in
 * the same order, by the same functions, as the common way does, for a third less of a hub's work (test/bench/RESULTS.md). Whatever else
 * is sent there (another credential, a query, a named workspace) goes the common way.
 */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { type ApiError, rateLimited, statusOf } from "@countersign/domain/errors"
import { Effect, Layer, type Types } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Credentials } from "../auth/credentials.ts"
import { Settings } from "../config.ts"
import { bearerOf, rateLimitHeaders, refuse } from "../edge/access.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { RateLimits } from "../edge/rate-limit.ts"
import { bytesAlone, readJson } from "../edge/request-body.ts"
import { answerDispatch } from "./http.ts"
import { Dispatch } from "./service.ts"

type App = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>

const url = "/api/v1/service-requests"

const refusal = (error: ApiError) => HttpServerResponse.jsonUnsafe({ error: error.error }, { status: statusOf(error) })

export const directDispatchLayer = Layer.unwrap(Effect.gen(function*() {
  const credentials = yield* Credentials
  const dispatch = yield* Dispatch
  const { agent: limiter } = yield* RateLimits
  const { trustedProxies } = yield* Settings
  const address = makeClientAddress(trustedProxies)

  const dispatched = (request: HttpServerRequest.HttpServerRequest, agent: AgentPrincipal) =>
    Effect.flatMap(readJson(request, bytesAlone), () => answerDispatch(dispatch, agent, request))

  const answered = (work: Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError>) => Effect.catch(work, (error) => Effect.succeed(refusal(error)))

  const limited = (request: HttpServerRequest.HttpServerRequest, agent: AgentPrincipal) => {
    if (limiter === undefined) return answered(dispatched(request, agent))
    const taken = limiter.take(agent.key_id)
    const headers = rateLimitHeaders(limiter, "agent", taken)
    return answered(taken.allowed ? dispatched(request, agent) : Effect.fail(rateLimited(taken.resetSeconds))).pipe(
      Effect.map(HttpServerResponse.setHeaders(headers)),
      // A defect becomes an answer further out.
      Effect.tapCause(() => HttpEffect.appendPreResponseHandler((_, response) => Effect.succeed(HttpServerResponse.setHeaders(response, headers))))
    )
  }

  const direct = (app: App) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      if (request.url !== url || request.method !== "POST" || request.headers["svc-workspace"] !== undefined) return app
      const bearer = bearerOf(request)
      // As in a route of the router: a caller that hangs up is not waited for.
      return bearer?.startsWith("agent_key_") !== true ? app : Effect.interruptible(Effect.matchEffect(credentials.agentKey(bearer, address(request)), {
        onFailure: ({ error }) => Effect.succeed(refusal(refuse("agent", error.message))),
        onSuccess: (agent) => limited(request, agent)
      }))
    })
  return HttpRouter.middleware(direct as (app: App) => App, { global: true })
})).pipe(Layer.provide(RateLimits.layer))
