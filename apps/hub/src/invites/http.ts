import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { forbidden } from "@countersign/domain/errors"
import { sessionCookieName } from "@countersign/domain/identity"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { callerOf } from "../auth/caller.ts"
import { knownDeviceOf } from "../auth/known-device.ts"
import { limitedPassword } from "../auth/password-sign-in.ts"
import type { Challenged } from "../auth/service.ts"
import { setSessionCookie } from "../auth/session-cookie.ts"
import { Settings } from "../config.ts"
import { refuseForeignOrigin } from "../edge/access.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { Credentials } from "../edge/credentials.ts"
import { noStore } from "../edge/no-store.ts"
import { Invites } from "./service.ts"

const joinedWithout = ({ challenge: { methods } }: Challenged) =>
  forbidden(
    `You belong to the workspace again. Sign in with your password and your second factor: ${methods.join(", ")}.`,
    { methods },
    "second_factor_required"
  )

export const InvitesHttp = HttpApiBuilder.group(
  HubApi,
  "invites",
  Effect.fn(function*(handlers) {
    const invites = yield* Invites
    const credentials = yield* Credentials
    const settings = yield* Settings
    const address = makeClientAddress(settings.trustedProxies)
    const limited = yield* limitedPassword

    return handlers.handleAll({
      list: ({ params, query }) => CurrentUser.use((user) => invites.list(user, params.id, query)),
      create: ({ params, payload }) =>
        Effect.andThen(noStore, CurrentUser.use((user) => invites.create(user, params.id, payload))).pipe(
          Effect.map((invite) => created(`/orgs/${params.id}/invites/${invite.id}`, invite))
        ),
      revokeByQuery: ({ params, query }) => CurrentUser.use((user) => invites.revoke(user, params.id, query.invite_id)),
      revoke: ({ params }) => CurrentUser.use((user) => invites.revoke(user, params.id, params.inviteId)),
      get: ({ params }) => Effect.andThen(noStore, invites.get(params.token)),
      accept: Effect.fn(function*({ params, payload }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* noStore
        yield* refuseForeignOrigin(request, settings.publicUrl)
        const caller = callerOf(request, address(request))
        const cookie = request.cookies[sessionCookieName]
        // A session that has ended does not keep its browser from accepting as a new person.
        const user = cookie === undefined || cookie === ""
          ? undefined
          : yield* Effect.catch(
            credentials.session(cookie, { ip: caller.ip, workspace: undefined }),
            () => Effect.succeed(undefined)
          )
        if (user !== undefined) return yield* invites.acceptAs(params.token, user)
        const { password } = payload ?? {}
        const former = password === undefined ? undefined : yield* invites.formerMember(params.token)
        const signedIn = password === undefined || former === undefined
          ? yield* invites.acceptNew(params.token, payload ?? {}, caller)
          : yield* limited(
            former,
            { ip: caller.ip, device: knownDeviceOf(request, settings.publicUrl) },
            invites.acceptAgain(params.token, former, password, caller)
          )
        if ("challenge" in signedIn) return yield* Effect.fail(joinedWithout(signedIn))
        yield* setSessionCookie(signedIn.cookie, settings.publicUrl)
        return signedIn.me
      })
    })
  })
)
