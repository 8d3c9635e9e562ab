/** The whole contract as one value: the hub serves it, the client is derived from it, the OpenAPI text is generated from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { ServiceRequestsGroup } from "./service-requests.ts"

export class HubApi extends HttpApi.make("countersign")
  .add(ServiceRequestsGroup)
  .prefix("/api/v1")
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotateMerge(OpenApi.annotations({ title: "Countersign", version: "0.2.0" })) {}
