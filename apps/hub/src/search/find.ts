/** One search over all objects that a person may read. Spec: reference/accounts.md "Search". */
import type { Permission, UserPrincipal } from "@countersign/domain/auth"
import { idPattern } from "@countersign/domain/ids"
import { searchLimitDefault, type SearchResult } from "@countersign/domain/search"
import { Context, Effect, Layer } from "effect"
import { ownerFilter } from "../auth/own.ts"
import { Configuration } from "../dispatch/decision/configuration.ts"
import type { OrgConfiguration } from "../dispatch/decision/decision.ts"
import { workflowReader } from "../workflows/rules.ts"
import { FindRepository, type FoundApproval, type FoundRequest, type Reader } from "./find-repository.ts"
import { SearchRepository } from "./repository.ts"
import { foldText, hasWords, nameScore, queryWords, requestText, sealOf } from "./rules.ts"
import { isShownWhole, shownRequestText } from "./shown-text.ts"

/** Scores of matches other than names. */
const exact = 1
const pendingApproval = 0.6
const decidedApproval = 0.45
const requestByText = 0.4

/**
 * Maximum size of the unindexed payloads that one search reads, in characters; the index has the rest shortly after.
 */
const freshCharactersMax = 500_000

const requestId = idPattern("req")
const approvalId = idPattern("apr")

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`
const words = (status: string): string => status.replaceAll("_", " ")

const requestResult = (request: FoundRequest, score: number, at: string): SearchResult => ({
  type: "service_request",
  id: request.id,
  title: `${request.service}.${request.operation}`,
  subtitle: `${request.agent_name}, ${words(request.status)}, ${dollars(request.cents)}`,
  href: `${at}/requests/${request.id}`,
  score
})

const approvalResult = (approval: FoundApproval, score: number, at: string): SearchResult => {
  const isCommand = approval.kind === "device_command"
  const of = isCommand ? approval.device_name : approval.agent_name
  return {
    type: "approval",
    id: approval.id,
    title: isCommand ? approval.operation : `${approval.service}.${approval.operation}`,
    subtitle: [of, words(approval.status), ...isCommand ? [] : [dollars(approval.cost_cents)]].filter((part) =>
      part !== null
    ).join(", "),
    href: `${at}/approvals/${approval.id}`,
    score
  }
}

export class Find extends Context.Service<Find, {
  /** Best match first; only what the person may read. */
  readonly find: (
    user: UserPrincipal,
    query: { readonly q?: string; readonly limit?: number }
  ) => Effect.Effect<ReadonlyArray<SearchResult>>
}>()("@countersign/hub/search/Find") {
  static readonly layer = Layer.effect(
    Find,
    Effect.gen(function*() {
      const repository = yield* FindRepository
      const configuration = yield* Configuration
      const { indexed } = yield* SearchRepository

      /** Those of the found requests whose visible text contains the words. */
      const seen = Effect.fnUntraced(
        function*(org: OrgConfiguration, found: ReadonlyArray<FoundRequest>, wanted: ReadonlyArray<string>) {
          const inOwnColumns = ({ id, operation, service }: FoundRequest) =>
            hasWords(foldText(`${id} ${service}.${operation}`), wanted)
          const hidden = found.filter((request) => !inOwnColumns(request) && !isShownWhole(org, request))
          if (hidden.length === 0) return found
          const payloads = yield* repository.payloads(org.id, hidden.map(({ id }) => id))
          const dropped = new Set(
            hidden.filter((request) =>
              !hasWords(shownRequestText(org, { ...request, payload: payloads.get(request.id) }), wanted)
            )
          )
          return found.filter((request) => !dropped.has(request))
        }
      )

      const requests = Effect.fnUntraced(function*(reader: Reader, q: string, wanted: ReadonlyArray<string>) {
        if (requestId.test(q)) {
          const found = yield* repository.requests(reader, [q])
          if (found.length > 0) return found
        }
        const org = yield* Effect.promise(() => configuration.org(reader.org))
        // In this order: a text that is indexed in between is among the hits.
        const recent = yield* repository.recent(reader)
        const hits = yield* repository.hits(reader, wanted, yield* indexed)
        const fresh: Array<string> = []
        let characters = 0
        for (const request of recent) {
          if (characters > freshCharactersMax) break
          characters += request.payload.length
          if (hasWords(requestText(request), wanted)) fresh.push(request.id)
          // Comparing a long text takes milliseconds: let other fibers run in between.
          yield* Effect.yieldNow
        }
        const ids = [...new Set([...fresh, ...hits])]
        return yield* seen(org, yield* repository.requests(reader, ids), wanted)
      })

      const find = Effect.fn("Find.find")(
        function*(user: UserPrincipal, query: { readonly q?: string; readonly limit?: number }) {
          const { limit = searchLimitDefault } = query
          const q = (query.q ?? "").trim()
          const wanted = queryWords(q)
          if (wanted.length === 0) return []
          const can = (permission: Permission) => user.permissions.has(permission)
          const reader: Reader = { org: user.org_id, owner: ownerFilter(user) }
          const at = `/w/${user.org_id}`
          const seal = sealOf(q)
          const none = Effect.succeed([])

          const [agents, people, services, found, workflows] = yield* Effect.all([
            can("agents:read") ? repository.agents(reader) : none,
            can("members:read") ? repository.people(user.org_id) : none,
            can("catalog:read")
              ? Effect.map(Effect.promise(() => configuration.org(user.org_id)), (org) => [...org.services.values()])
              : none,
            can("requests:read") || can("approvals:read") ? requests(reader, q, wanted) : none,
            can("workflows:read") ? repository.workflows(user.org_id, workflowReader(user)) : none
          ], { concurrency: 4 })
          const ofFound = found.flatMap(({ approval_id, status }) =>
            status === "approval_required" && approval_id !== null ? [approval_id] : []
          )
          const approvals = can("approvals:read")
            ? yield* repository.approvals(reader, [...approvalId.test(q) ? [q] : [], ...ofFound], seal)
            : []
          const bySeal = new Set<string>(
            approvals.flatMap(({ payload_digest, request_id }) =>
              seal !== undefined && payload_digest.startsWith(seal) && request_id !== null ? [request_id] : []
            )
          )
          const sealed = can("requests:read") && bySeal.size > 0 ? yield* repository.requests(reader, [...bySeal]) : []

          const results: Array<SearchResult> = []
          for (const { description, id, name } of agents) {
            const score = id === q ? exact : nameScore(wanted, name, description)
            if (score !== undefined) {
              results.push({ type: "agent", id, title: name, href: `${at}/agents/${id}`, score })
            }
          }
          for (const { description, id, name } of workflows) {
            const score = id === q ? exact : nameScore(wanted, name, description)
            if (score !== undefined) {
              results.push({ type: "workflow", id, title: name, href: `${at}/workflows/${id}`, score })
            }
          }
          for (const { definition: { description = "", name, operations, title } } of services) {
            const score = nameScore(
              wanted,
              name,
              `${title ?? ""} ${description} ${operations.map((one) => `${name}.${one.name}`).join(" ")}`
            )
            if (score === undefined) continue
            results.push({
              type: "service",
              id: name,
              title: name,
              ...title === undefined ? {} : { subtitle: title },
              href: `${at}/catalog/${name}`,
              score
            })
          }
          for (const { email, id, name } of people) {
            const score = id === q ? exact : nameScore(wanted, name === "" ? email : name, email)
            if (score === undefined) continue
            results.push({
              type: "person",
              id,
              title: name === "" ? email : name,
              ...name === "" ? {} : { subtitle: email },
              href: `${at}/settings/members`,
              score
            })
          }
          for (const approval of approvals) {
            const isExact = approval.id === q || (seal !== undefined && approval.payload_digest.startsWith(seal))
            results.push(
              approvalResult(
                approval,
                isExact ? exact : approval.status === "pending" ? pendingApproval : decidedApproval,
                at
              )
            )
          }
          if (can("requests:read")) {
            const isExact = (id: string) => id === q || bySeal.has(id)
            const all = new Map([...sealed, ...found].map((request) => [request.id, request]))
            for (const request of all.values()) {
              results.push(requestResult(request, isExact(request.id) ? exact : requestByText, at))
            }
          }
          // Stable: equal scores keep the order above, newest first.
          return results.sort((one, two) => two.score - one.score).slice(0, limit)
        }
      )

      return Find.of({ find })
    })
  )
}
