/** The people of a workspace and their roles. Spec: contract 1 "Roles and permissions", 5 "members". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, Role, UserAccess } from "./auth.ts"
import { UserId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"

export const Member = Schema.Struct({
  user_id: UserId,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  /** When the person became a member. */
  created_at: Schema.String
}).annotate({ identifier: "Member" })
export type Member = typeof Member.Type

const params = { userId: UserId }

export class MembersGroup extends HttpApiGroup.make("members").add(
  HttpApiEndpoint.get("list", "/members", { query: PageQuery, success: Page(Member) })
    .middleware(UserAccess).annotate(Requires, "members:read"),
  HttpApiEndpoint.patch("update", "/members/:userId", { params, payload: Schema.Struct({ role: Role }), success: Member })
    .middleware(UserAccess).annotate(Requires, "members:write").annotate(OpenApi.Description,
      "Only owners make or unmake owners. The last owner cannot be demoted: 409 `last_owner`."),
  HttpApiEndpoint.delete("remove", "/members/:userId", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "members:write").annotate(OpenApi.Description,
      "Ends the person's sessions and tokens in this workspace at once. The last owner cannot be removed: 409 `last_owner`.")
) {}
