/** The first moments of a hub: whether anyone is there yet. Making the first owner is `auth.setup`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PublicAccess } from "./auth.ts"

export const SetupState = Schema.Struct({
  /** No owner yet: the link that the hub printed when it started makes one. */
  needed: Schema.Boolean
}).annotate({ identifier: "SetupState" })
export type SetupState = typeof SetupState.Type

export class SetupGroup extends HttpApiGroup.make("setup").add(
  HttpApiEndpoint.get("state", "/auth/setup", { success: SetupState })
    .middleware(PublicAccess).annotate(
      OpenApi.Description,
      "Whether the hub still waits for its first owner: what a console shows before anyone can sign in."
    )
) {}
