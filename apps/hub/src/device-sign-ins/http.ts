import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { callerOf } from "../auth/caller.ts"
import { SignInReports } from "../auth/sign-in-reports.ts"
import { Settings } from "../config.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { noStore } from "../edge/no-store.ts"
import { DeviceSignIns } from "./service.ts"

export const DeviceSignInHttp = HttpApiBuilder.group(
  HubApi,
  "device_sign_in",
  Effect.fn(function*(handlers) {
    const signIns = yield* DeviceSignIns
    const reports = yield* SignInReports
    const settings = yield* Settings
    const address = makeClientAddress(settings.trustedProxies)

    return handlers.handleAll({
      start: Effect.fn(function*({ payload }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* noStore
        return yield* signIns.start(payload, callerOf(request, address(request)))
      }),
      token: ({ payload }) => Effect.andThen(noStore, signIns.token(payload.device_code)),
      get: ({ params }) => Effect.andThen(noStore, CurrentUser.use((user) => signIns.get(user, params.userCode))),
      confirm: ({ params, payload }) =>
        CurrentUser.use((user) => signIns.confirm(user, params.userCode, payload ?? {})).pipe(
          Effect.tap(reports.counted("device", "ok"))
        ),
      reject: ({ params }) =>
        CurrentUser.use((user) => signIns.reject(user, params.userCode)).pipe(
          Effect.tap(reports.counted("device", "rejected"))
        )
    })
  })
)
