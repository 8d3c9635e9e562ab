/**
 * Publishing: a person asks to share an agent with a team or the workspace, or to make a version of a workflow live; a
 * reviewer decides, and a publication lasts until it is revoked. Spec: reference/publishing.md "Publish requests", "Publications", "Marketplace".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { agentCategoryMax } from "./agents.ts"
import { AllowsTeamRole, Decides, Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, PublicationId, PublishRequestId, TeamId, UserId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Prose } from "./text.ts"

export const publishNoteMax = 2_000
export const publishCommentMax = 1_000
export const listingSearchMax = 200

export const PublishedKind = Schema.Literals(["agent", "workflow"])
export type PublishedKind = typeof PublishedKind.Type
export const PublishScope = Schema.Literals(["team", "org"])
export type PublishScope = typeof PublishScope.Type
export const PublishRequestStatus = Schema.Literals(["pending", "approved", "rejected", "withdrawn"])
export type PublishRequestStatus = typeof PublishRequestStatus.Type
export const PublicationStatus = Schema.Literals(["active", "revoked"])
export type PublicationStatus = typeof PublicationStatus.Type

const Named = Schema.Struct({ id: UserId, name: Schema.String })

/** A subject and its audience. */
const target = {
  subject: Schema.Struct({ type: PublishedKind, id: Schema.String }),
  version_id: Schema.optionalKey(Schema.String),
  scope: PublishScope,
  team_id: Schema.optionalKey(TeamId),
  /** Whether the marketplace lists it for every workspace of the hub. */
  listed: Schema.Boolean,
  /** As they were when the request was made: reviewers decide on these, and a listing shows these. */
  name: Schema.String,
  description: Schema.String,
  icon: Schema.NullOr(Schema.String),
  category: Schema.NullOr(Schema.String)
}

export const PublishRequest = Schema.Struct({
  id: PublishRequestId,
  ...target,
  note: Schema.optionalKey(Schema.String),
  /** `pending` is the only status that changes. */
  status: PublishRequestStatus,
  requested_by: Named,
  /** Absent if the hub withdrew it. */
  decided_by: Schema.optionalKey(Named),
  comment: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  decided_at: Schema.optionalKey(Schema.String),
  publication_id: Schema.optionalKey(PublicationId)
}).annotate({ identifier: "PublishRequest" })
export type PublishRequest = typeof PublishRequest.Type

export const Publication = Schema.Struct({
  id: PublicationId,
  ...target,
  status: PublicationStatus,
  publish_request_id: PublishRequestId,
  published_by: Named,
  published_at: Schema.String,
  revoked_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Publication" })
export type Publication = typeof Publication.Type

/** Nothing else of a workspace is visible to others. */
export const Listing = Schema.Struct({
  id: PublicationId,
  kind: PublishedKind,
  name: Schema.String,
  description: Schema.String,
  icon: Schema.NullOr(Schema.String),
  category: Schema.NullOr(Schema.String),
  publisher: Schema.String.annotate({ description: "The name of the workspace" })
}).annotate({ identifier: "Listing" })
export type Listing = typeof Listing.Type

export const PublishInput = Schema.Struct({
  scope: PublishScope,
  team_id: Schema.optionalKey(TeamId.annotate({ description: "Required with scope team, refused with scope org" })),
  note: Schema.optionalKey(Prose(publishNoteMax)),
  listed: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "List it in the marketplace too; requires scope org. Default: false" })
  )
}).annotate({ identifier: "PublishInput" })
export type PublishInput = typeof PublishInput.Type

export const DecidePublishRequestInput = Schema.Struct({
  status: Schema.Literals(["approved", "rejected", "withdrawn"]),
  comment: Schema.optionalKey(Prose(publishCommentMax))
}).annotate({ identifier: "DecidePublishRequestInput" })
export type DecidePublishRequestInput = typeof DecidePublishRequestInput.Type

export class PublishingGroup extends HttpApiGroup.make("publishing").add(
  HttpApiEndpoint.post("publishAgent", "/agents/:id/publish", {
    params: { id: AgentId },
    payload: PublishInput,
    success: Created(PublishRequest)
  }).middleware(UserAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Creates a publish request; nothing is shared before a reviewer approves it. A second pending request for the same " +
      "agent and audience is 409 `conflict`."
  ),
  HttpApiEndpoint.get("listRequests", "/publish-requests", {
    query: { ...PageQuery, status: Schema.optionalKey(PublishRequestStatus) },
    success: Page(PublishRequest)
  }).middleware(UserAccess).annotate(Requires, "catalog:read").annotate(
    OpenApi.Description,
    "Newest first, with every status unless `status` is given. Members see their own requests."
  ),
  HttpApiEndpoint.get("getRequest", "/publish-requests/:id", {
    params: { id: PublishRequestId },
    success: PublishRequest
  }).middleware(UserAccess).annotate(Requires, "catalog:read"),
  HttpApiEndpoint.patch("decide", "/publish-requests/:id", {
    params: { id: PublishRequestId },
    payload: DecidePublishRequestInput,
    success: PublishRequest
  }).middleware(UserAccess).annotate(Decides, true).annotate(
    OpenApi.Description,
    "`approved` and `rejected` require publish:review; `withdrawn` is for the person who made the request. Nobody " +
      "approves their own request while another reviewer exists (403 `separation_of_duties`). An approval replaces an " +
      "earlier publication for the same audience, and makes the version of a workflow live. A second decision is 409 " +
      "`conflict`."
  ),
  HttpApiEndpoint.get("listPublications", "/publications", {
    query: { ...PageQuery, status: Schema.optionalKey(PublicationStatus) },
    success: Page(Publication)
  }).middleware(UserAccess).annotate(Requires, "catalog:read").annotate(
    OpenApi.Description,
    "Newest first, with every status unless `status` is given. Members see their own publications, and active ones " +
      "that are shared with them."
  ),
  HttpApiEndpoint.post("revoke", "/publications/:id/revoke", { params: { id: PublicationId }, success: Publication })
    .middleware(UserAccess).annotate(
      OpenApi.Description,
      "Requires publish:review, or to be the publisher. Its listing disappears at once, and a workflow has no live " +
        "version. A second revocation is 409 `conflict`."
    ),
  HttpApiEndpoint.get("listings", "/marketplace/listings", {
    query: {
      ...PageQuery,
      q: Schema.optionalKey(
        Schema.String.check(Schema.isMaxLength(listingSearchMax)).annotate({
          description: "Only listings whose name or description contains this text, in any case"
        })
      ),
      category: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(agentCategoryMax)))
    },
    success: Page(Listing)
  }).middleware(UserAccess).annotate(Requires, "catalog:read").annotate(
    OpenApi.Description,
    "Listed publications of every workspace of the hub, newest first."
  )
) {}
