/** The whole contract as one value: the hub serves it, the client is derived from it, the OpenAPI text is generated from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AuditGroup } from "./audit.ts"
import { DiscoveryGroup } from "./discovery.ts"
import { EventsGroup } from "./events.ts"
import { AuthGroup } from "./identity.ts"
import { LedgerGroup } from "./ledger.ts"
import { MembersGroup } from "./members.ts"
import { ServiceRequestsGroup } from "./service-requests.ts"
import { TokensGroup } from "./tokens.ts"
import { UsageGroup } from "./usage.ts"
import { WorkspacesGroup } from "./workspaces.ts"

export class HubApi extends HttpApi.make("countersign")
  .add(ServiceRequestsGroup)
  .add(AuthGroup)
  .add(MembersGroup)
  .add(TokensGroup)
  .add(WorkspacesGroup)
  .add(AuditGroup)
  .add(UsageGroup)
  .add(LedgerGroup)
  .add(EventsGroup)
  .add(DiscoveryGroup)
  .prefix("/api/v1")
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotateMerge(OpenApi.annotations({ title: "Countersign", version: "0.2.0" })) {}
