/** The credential of a service for one call, from its secret or its connected app. Spec: reference/services.md "Secrets". */
import type { ServiceAuth } from "@countersign/domain/services"
import { Effect } from "effect"
import { type AdapterCall, type AdapterOutcome, type AppAccess, failed } from "./adapter.ts"

export interface ServiceCredentials {
  readonly headers: Readonly<Record<string, string>>
  readonly param?: readonly [name: string, value: string]
  readonly secrets: ReadonlyArray<string>
  readonly app?: ReadyApp
}

export type ReadyApp = Extract<AppAccess, { readonly kind: "ready" }>

export const bearerOf = (token: string, app?: ReadyApp): ServiceCredentials => ({
  headers: { authorization: `Bearer ${token}` },
  secrets: [token],
  ...app === undefined ? {} : { app }
})

/** Fails with the outcome of a call that cannot be sent. */
export const serviceCredentials = Effect.fnUntraced(function*(
  { auth, name }: { readonly name: string; readonly auth?: ServiceAuth },
  call: Pick<AdapterCall, "appOf" | "secretOf">
): Effect.fn.Return<ServiceCredentials, AdapterOutcome> {
  if (auth === undefined || auth.type === "none") return { headers: {}, secrets: [] }
  if (auth.type === "oauth_app" && auth.app !== undefined) {
    const app = yield* call.appOf(auth.app)
    if (app.kind === "ready") return bearerOf(app.token, app)
    const outcome = failed(`${app.detail} Nothing was sent.`)
    return yield* Effect.fail(
      app.kind === "missing" && outcome.kind === "failed" ? { ...outcome, code: "app_not_connected" as const } : outcome
    )
  }
  if (auth.type === "oauth_app" || auth.secret === undefined) {
    return yield* Effect.fail(failed(`The service "${name}" has credentials that this hub cannot use.`))
  }
  const secret = yield* call.secretOf(auth.secret)
  if (secret === undefined || secret === "") {
    return yield* Effect.fail(
      failed(`The secret "${auth.secret}" of the service "${name}" is not set. Nothing was sent.`)
    )
  }
  const secrets = [secret]
  switch (auth.type) {
    case "bearer":
      return bearerOf(secret)
    case "basic":
      return { headers: { authorization: `Basic ${Buffer.from(secret).toString("base64")}` }, secrets }
    case "header":
      return { headers: { [(auth.header ?? "").toLowerCase()]: secret }, secrets }
    case "query":
      return { headers: {}, param: [auth.param ?? "", secret], secrets }
  }
})
