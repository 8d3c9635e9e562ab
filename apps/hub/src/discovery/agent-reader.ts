/** The reader of `GET /agent-docs`: anyone, or an agent by its key, within the agent's rate limit. */
import type { AgentPrincipal } from "@countersign/domain/auth"
import { type ApiError, rateLimited } from "@countersign/domain/errors"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Settings } from "../config.ts"
import { agentOf, refuse } from "../edge/access.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { bearerOf, Credentials } from "../edge/credentials.ts"
import { misplacedCredential } from "../edge/misplaced-credential.ts"
import { RateLimits, takeFrom } from "../edge/rate-limit.ts"

/** Undefined without a credential. 401 for a wrong one, also when it is in the wrong place; 429 above the limit. */
export const makeAgentReader = Effect.gen(function*() {
  const credentials = yield* Credentials
  const limiters = yield* RateLimits
  const { trustedProxies } = yield* Settings
  const addressOf = makeClientAddress(trustedProxies)
  return Effect.fnUntraced(
    function*(
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<AgentPrincipal | undefined, ApiError> {
      const bearer = bearerOf(request.headers["authorization"])
      const misplaced = bearer === undefined || bearer === "" ? misplacedCredential(request) : undefined
      if (misplaced !== undefined) return yield* Effect.fail(refuse("agent", misplaced))
      if (bearer === undefined) return undefined
      const agent = yield* agentOf(credentials, "agent", bearer, addressOf(request))
      const taken = takeFrom(limiters.agent, agent.key_id)
      return taken.allowed ? agent : yield* Effect.fail(rateLimited(taken.resetSeconds))
    }
  )
})
