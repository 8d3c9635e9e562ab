/** Search over everything that a person may see in a workspace. Spec: reference/accounts.md "Search". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserAccess } from "./auth.ts"
import { IntegerInQuery } from "./pagination.ts"

export const searchTextMax = 200
export const searchLimitDefault = 20
export const searchLimitMax = 50

export const SearchResultType = Schema.Literals([
  "agent",
  "service",
  "service_request",
  "approval",
  "person",
  "workflow"
])
export type SearchResultType = typeof SearchResultType.Type

export const SearchResult = Schema.Struct({
  type: SearchResultType,
  /** For a service its name. */
  id: Schema.String,
  title: Schema.String,
  subtitle: Schema.optionalKey(Schema.String),
  href: Schema.String.annotate({ description: "The path of its screen in the console" }),
  score: Schema.Finite.annotate({ description: "0 to 1; 1 is an exact id or seal" })
}).annotate({ identifier: "SearchResult" })
export type SearchResult = typeof SearchResult.Type

export class SearchGroup extends HttpApiGroup.make("search").add(
  HttpApiEndpoint.get("find", "/search", {
    query: {
      q: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(searchTextMax))),
      limit: Schema.optionalKey(IntegerInQuery(1, searchLimitMax))
    },
    success: Schema.Struct({ data: Schema.Array(SearchResult) })
  }).middleware(UserAccess).annotate(
    OpenApi.Description,
    "Agents, services, requests, approvals, and people, best match first. Every word of `q` must occur; case and " +
      "accents do not matter. Requests are found by id, operation, and the values of the payload, approvals also " +
      "by their seal. Fields that the operation's schema marks `writeOnly` are not searched. Requests are searched " +
      "if a word has at least three letters or digits. Without `q` there are no results. The results are limited " +
      "to the permissions of the caller; members find their own agents, requests, and approvals only."
  )
) {}
