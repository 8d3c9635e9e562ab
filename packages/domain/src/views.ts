/** Saved views: a screen's filters, sorting, and columns under a name. Spec: reference/accounts.md "Saved views". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { type Permission, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { UserId, ViewId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { Label } from "./text.ts"

/** The most views of one person in a workspace. */
export const viewsMax = 100
export const viewNameMax = 80
export const viewQueryMax = 2_000
const positionMax = 1_000_000

export const ViewScreen = Schema.Literals(["inbox", "requests", "audit", "agents"])
export type ViewScreen = typeof ViewScreen.Type

/** The permission to read the screen, and with it the screen's views. */
export const screenPermissions: Readonly<Record<ViewScreen, Permission>> = {
  inbox: "approvals:read",
  requests: "requests:read",
  audit: "audit:read",
  agents: "agents:read"
}

const ViewQuery = Schema.String.check(
  Schema.isMaxLength(viewQueryMax),
  matching(/^[\x21\x24-\x7e]*$/u, "a query as in an address, without ? and #")
).annotate({
  description: "The query of the screen's address, without the question mark: `status=blocked&agent_id=agt_…`"
})

const Position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: positionMax }))
  .annotate({ description: "Views are sorted by position, then by age" })

export const View = Schema.Struct({
  id: ViewId,
  screen: ViewScreen,
  name: Schema.String,
  query: Schema.String,
  shared: Schema.Boolean.annotate({ description: "Visible to every member with the permission to read the screen" }),
  position: Schema.Int,
  created_by: Schema.Struct({ id: UserId, name: Schema.String }),
  can_edit: Schema.Boolean.annotate({
    description: "Whether the caller can change and delete it: its creator can, and an admin if it is shared"
  }),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "View" })
export type View = typeof View.Type

export const CreateViewInput = Schema.Struct({
  screen: ViewScreen,
  name: Label(viewNameMax),
  query: ViewQuery,
  shared: Schema.optionalKey(Schema.Boolean),
  /** Default: after the caller's other views. */
  position: Schema.optionalKey(Position)
}).annotate({ identifier: "CreateViewInput" })
export type CreateViewInput = typeof CreateViewInput.Type

export const UpdateViewInput = Schema.Struct({
  name: Schema.optionalKey(Label(viewNameMax)),
  query: Schema.optionalKey(ViewQuery),
  shared: Schema.optionalKey(Schema.Boolean),
  position: Schema.optionalKey(Position)
}).annotate({ identifier: "UpdateViewInput" })
export type UpdateViewInput = typeof UpdateViewInput.Type

const params = { id: ViewId }

export class ViewsGroup extends HttpApiGroup.make("views").add(
  HttpApiEndpoint.get("list", "/views", {
    query: { ...PageQuery, screen: Schema.optionalKey(ViewScreen) },
    success: Page(View)
  })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "The caller's views and the shared views of the workspace, for screens that the caller can read, by " +
        "position."
    ),
  HttpApiEndpoint.post("create", "/views", { payload: CreateViewInput, success: Created(View) })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      `Requires the permission to read the screen. A person can have ${viewsMax} views in a workspace; the next ` +
        `one is 409 \`limit_reached\`. A name that another view of the person and the screen has, in any case, is 409 \`conflict\`.`
    ),
  HttpApiEndpoint.patch("update", "/views/:id", { params, payload: UpdateViewInput, success: View })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "Only its creator or an admin can change a shared view; others receive 403. A name that another view of its creator and the " +
        "screen has is 409 `conflict`."
    ),
  HttpApiEndpoint.delete("remove", "/views/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "Only its creator or an admin can delete a shared view; others receive 403."
    )
) {}
