import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { invalidField } from "@countersign/domain/errors"
import { sessionCookieName } from "@countersign/domain/identity"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { LoginLimits } from "../auth/login-limits.ts"
import { placeOf } from "../auth/passkey-place.ts"
import { Settings } from "../config.ts"
import { refuse, refuseForeignOrigin } from "../edge/access.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { Credentials } from "../edge/credentials.ts"
import { noStore } from "../edge/no-store.ts"
import { Factors } from "./service.ts"

export const FactorsHttp = HttpApiBuilder.group(
  HubApi,
  "factors",
  Effect.fn(function*(handlers) {
    const factors = yield* Factors
    const credentials = yield* Credentials
    const limits = yield* LoginLimits
    const settings = yield* Settings
    const address = makeClientAddress(settings.trustedProxies)
    const place = Effect.map(
      HttpServerRequest.HttpServerRequest,
      ({ headers }) => placeOf(settings.publicUrl, headers["host"])
    )
    /** The person of the cookie, for an endpoint that also serves people without one. */
    const person = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const cookie = request.cookies[sessionCookieName] ?? ""
      if (cookie === "") return yield* Effect.fail(refuse("session", "No credential was sent."))
      return yield* credentials.session(cookie, { ip: address(request), workspace: request.headers["svc-workspace"] })
    })

    return handlers.handleAll({
      list: Effect.fn(function*() {
        yield* noStore
        return yield* factors.list(yield* CurrentUser, yield* place)
      }),
      add: Effect.fn(function*({ payload }) {
        const user = yield* CurrentUser
        yield* noStore
        yield* limits.confirm(user)
        const factor = yield* factors.add(user, payload, yield* place)
        return created(`/auth/factors/${factor.id}`, factor)
      }),
      totpOptions: () => Effect.andThen(noStore, CurrentUser.use((user) => factors.totpOptions(user))),
      passkeyOptions: Effect.fn(function*({ payload: { challenge_id, purpose } }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* noStore
        yield* refuseForeignOrigin(request, settings.publicUrl)
        if (purpose !== "login") return yield* factors.passkeyOptions(yield* person, purpose, yield* place)
        return challenge_id === undefined
          ? yield* Effect.fail(invalidField("challenge_id", "a sign-in needs the challenge of POST /auth/login"))
          : yield* factors.loginOptions(challenge_id, yield* place)
      }),
      recoveryCodes: Effect.fn(function*() {
        yield* noStore
        return { recovery_codes: yield* factors.replaceRecoveryCodes(yield* CurrentUser) }
      }),
      rename: ({ params, payload }) => CurrentUser.use((user) => factors.rename(user, params.id, payload.name)),
      remove: ({ params }) => CurrentUser.use((user) => factors.remove(user, params.id))
    })
  })
)
