/** The setup state of a hub: whether it has an owner. `auth.setup` creates the first one. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PublicAccess } from "./auth.ts"

export const SetupState = Schema.Struct({
  /** No owner yet: the link that the hub printed at its start creates one. */
  needed: Schema.Boolean
}).annotate({ identifier: "SetupState" })
export type SetupState = typeof SetupState.Type

export class SetupGroup extends HttpApiGroup.make("setup").add(
  HttpApiEndpoint.get("state", "/auth/setup", { success: SetupState })
    .middleware(PublicAccess).annotate(
      OpenApi.Description,
      "Whether the hub still needs its first owner, for the console before anyone can sign in."
    )
) {}
