/**
 * MCP servers as services of a workspace: declares them, reads their tools, and applies people's decisions on changed
 * ones. Spec: reference/services.md "MCP services".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import {
  definitionBytesMax,
  ownServicesMax,
  reservedServiceNames,
  type SavedService
} from "@countersign/domain/catalog"
import {
  type ApiError,
  conflict,
  type Detail,
  invalidField,
  invalidRequest,
  notFound,
  upstreamError
} from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import type { McpTool, McpToolDecision, McpToolList } from "@countersign/domain/mcp-services"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { checkService, type McpDefinition, type McpService } from "@countersign/domain/services"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { AppTokens } from "../apps/tokens.ts"
import { type Actor, actorOf, AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { counting, mcpRefreshes } from "../platform/telemetry.ts"
import { scrubOf } from "../providers/answer.ts"
import { serviceCredentials } from "../providers/credentials.ts"
import { EgressFetch } from "../providers/egress-fetch.ts"
import type { McpFailure, ServerTool } from "../providers/mcp-client.ts"
import { Secrets } from "../secrets/service.ts"
import { McpRepository } from "./mcp-repository.ts"
import { accepted, definitionOf, isCallable, listedRows, refused, type ToolRow, toolView } from "./mcp-tools.ts"
import { CatalogRepository } from "./repository.ts"
import { Catalog, taken } from "./service.ts"

/** For a whole read of a server's list. */
const listMillisMax = 30_000
const roundMillis = 15_000
/** Services that one round reads. */
const roundServices = 10
/** Of the stored reason of a failed read, in characters. */
const errorLengthMax = 500

/** The callable tools by their digest: two lists with equal texts behave alike. */
const callableText = (rows: ReadonlyArray<ToolRow>): string =>
  JSON.stringify(rows.filter(isCallable).map(({ digest, tool }) => [tool, digest]))

const statesOf = (rows: ReadonlyArray<ToolRow>) => {
  const counts: Record<string, number> = {}
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

const stateText = (rows: ReadonlyArray<ToolRow>): string =>
  JSON.stringify(
    rows.map(({ digest, pending_digest, problem, state, tool }) => [tool, state, digest, pending_digest, problem])
  )

export class McpServices extends Context.Service<McpServices, {
  /** Reads the server's tools and pins each. 400 for an address that the hub may not call, 502 without an answer. */
  readonly create: (user: UserPrincipal, service: McpService) => Effect.Effect<SavedService, ApiError>
  readonly tools: (user: UserPrincipal, service: string) => Effect.Effect<McpToolList, ApiError>
  readonly decide: (
    user: UserPrincipal,
    service: string,
    decision: McpToolDecision,
    verdict: "accept" | "refuse"
  ) => Effect.Effect<McpTool, ApiError>
  readonly refresh: (user: UserPrincipal, service: string) => Effect.Effect<McpToolList, ApiError>
  /** Reads the lists of due services; returns their number. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/catalog/McpServices") {
  static readonly layer = Layer.effect(
    McpServices,
    Effect.gen(function*() {
      const catalog = yield* Catalog
      const services = yield* CatalogRepository
      const repository = yield* McpRepository
      const egress = yield* EgressFetch
      const secrets = yield* Secrets
      const apps = yield* AppTokens
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db
      const readiness = yield* Readiness
      const count = counting(mcpRefreshes, yield* Effect.context<never>())

      /** The server's tools, or why they cannot be read. Runs outside any transaction. */
      const listOf = Effect.fnUntraced(function*(org: OrgId, service: Pick<McpService, "name" | "url" | "auth">) {
        const found = yield* Effect.result(serviceCredentials(service, {
          secretOf: (name) =>
            Effect.map(secrets.valueOf(org, name), (value) => Option.getOrUndefined(Option.map(value, Redacted.value))),
          // No agent calls: only an app that the workspace shares can be used.
          appOf: (reference) => apps.access({ org, agent: "", service: service.name, reference })
        }))
        if (found._tag === "Failure") {
          const detail = "detail" in found.failure ? found.failure.detail : "The credential cannot be used."
          return {
            ok: false,
            failure: { kind: "answered", detail, sent: false, definite: true } satisfies McpFailure,
            auth: true
          } as const
        }
        const credentials = found.success
        const problem = credentials.app?.problemOf(service.url)
        if (problem !== undefined) {
          return {
            ok: false,
            failure: { kind: "answered", detail: problem, sent: false, definite: true } satisfies McpFailure,
            auth: true
          } as const
        }
        const { listServerTools } = yield* Effect.promise(() => import("../providers/mcp-client.ts"))
        const outcome = yield* Effect.promise(() =>
          listServerTools(egress, { url: service.url, credential: credentials }, listMillisMax)
        )
        if (outcome.ok) return outcome
        const detail = scrubOf(credentials.secrets).text(outcome.failure.detail).slice(0, errorLengthMax).toWellFormed()
        return { ok: false, failure: { ...outcome.failure, detail }, auth: false } as const
      })

      const unlisted = (failure: McpFailure, isAuth: boolean): ApiError =>
        isAuth
          ? invalidField("auth", failure.detail)
          : failure.kind === "refused_address"
          ? invalidField("url", failure.detail)
          : upstreamError(
            `The tools of the MCP server could not be read: ${failure.detail}. Check the address and the credential, and try again.`
          )

      const changed = Effect.fnUntraced(function*(
        org: OrgId,
        actor: Actor,
        action: string,
        service: string,
        data: Readonly<Record<string, unknown>>
      ) {
        yield* audit.record(org, actor, { action, subject: { type: "service", id: service }, data })
        yield* db.afterCommit(Effect.sync(() => signals.config(org)))
      })

      /** The input of a stored definition. */
      const inputOf = ({ operations: _, ...service }: McpDefinition): McpService => service

      /** Writes the rows, and the definition where the callable tools changed. Under the workspace's lock. */
      const write = Effect.fnUntraced(function*(
        org: OrgId,
        name: string,
        before: ReadonlyArray<ToolRow>,
        after: ReadonlyArray<ToolRow>
      ) {
        yield* repository.putTools(org, name, after)
        if (callableText(before) === callableText(after)) return
        const row = Option.getOrUndefined(yield* services.find(org, name))
        if (row === undefined) return
        const definition = definitionOf(inputOf(JSON.parse(row.definition) as McpDefinition), after)
        yield* services.update(org, name, JSON.stringify(definition), row.enabled)
        yield* heads.bumpRules(org)
      })

      const definitionIn = Effect.fnUntraced(function*(org: OrgId, name: string) {
        const row = Option.getOrUndefined(yield* services.find(org, name))
        const definition = row === undefined ? undefined : JSON.parse(row.definition) as McpDefinition
        return definition?.kind === "mcp" ? definition : yield* Effect.fail(notFound("service"))
      })

      /** Applies a list to the rows as they are now. */
      const applyList = Effect.fnUntraced(
        function*(org: OrgId, name: string, actor: Actor, listed: ReadonlyArray<ServerTool>) {
          yield* heads.lock(org)
          if (Option.isNone(yield* repository.server(org, name))) return yield* Effect.fail(notFound("service"))
          const before = yield* repository.tools(org, name)
          const after = listedRows(before, listed, { pinAll: false })
          yield* repository.refreshed(org, name, null)
          if (stateText(before) === stateText(after)) return
          yield* write(org, name, before, after)
          yield* changed(org, actor, "service.tools_changed", name, { tools: statesOf(after) })
        },
        db.transaction
      )

      const noteFailure = Effect.fnUntraced(function*(org: OrgId, name: string, actor: Actor, error: string) {
        const before = Option.getOrUndefined(yield* repository.server(org, name))
        if (before === undefined) return
        yield* repository.refreshed(org, name, error)
        if (before.error === error) return
        yield* changed(org, actor, "service.refresh_failed", name, { error })
      }, db.transaction)

      const read = Effect.fnUntraced(function*(org: OrgId, name: string, actor: Actor) {
        const definition = yield* definitionIn(org, name)
        const outcome = yield* listOf(org, definition)
        count({ result: outcome.ok ? "listed" : "failed" })
        if (outcome.ok) return yield* applyList(org, name, actor, outcome.value)
        yield* noteFailure(org, name, actor, outcome.failure.detail)
        return yield* Effect.fail(unlisted(outcome.failure, outcome.auth))
      })

      const listView = Effect.fnUntraced(function*(org: OrgId, name: string) {
        const as_of = yield* audit.asOf(org)
        const server = Option.getOrUndefined(yield* repository.server(org, name))
        if (server === undefined) {
          return (yield* catalog.snapshot(org)).has(name)
            ? { data: [], next_cursor: null, as_of }
            : yield* Effect.fail(notFound("service"))
        }
        const rows = yield* repository.tools(org, name)
        return {
          data: rows.map(toolView),
          next_cursor: null,
          as_of,
          refreshed_at: server.refreshed_at.toISOString(),
          ...server.error === null ? {} : { error: server.error }
        } satisfies McpToolList
      })

      const insert = Effect.fnUntraced(
        function*(user: UserPrincipal, service: McpService, rows: ReadonlyArray<ToolRow>) {
          const org = user.org_id
          const { enabled = true, name } = service
          yield* heads.lock(org)
          if ((yield* services.own(org)).length >= ownServicesMax) {
            return yield* Effect.fail(
              conflict("limit_reached", `A workspace can declare ${ownServicesMax} services; delete one first.`)
            )
          }
          const text = JSON.stringify(definitionOf(service, rows))
          if (Buffer.byteLength(text) > definitionBytesMax) {
            return yield* Effect.fail(
              upstreamError(
                `The server's tools are described in over ${definitionBytesMax} bytes, which the hub does not keep.`
              )
            )
          }
          if (!(yield* services.insert(org, name, text, enabled))) {
            return yield* Effect.fail(taken(name, "this workspace"))
          }
          yield* repository.insertServer(org, name)
          yield* repository.putTools(org, name, rows)
          yield* heads.bumpRules(org)
          yield* changed(org, actorOf(user), "service.created", name, {
            kind: "mcp",
            url: service.url,
            operations: rows.filter(isCallable).map(({ operation }) => operation),
            enabled
          })
        },
        db.transaction
      )

      const round = Effect.gen(function*() {
        const due = yield* repository.takeDue(roundServices)
        yield* Effect.forEach(
          due,
          ({ org_id, service }) =>
            Effect.catch(
              read(org_id, service, hubActor),
              ({ error }) =>
                Effect.logWarning(
                  `the tools of the MCP service ${service} of ${org_id} could not be read`,
                  error.message
                )
            ),
          { concurrency: 4, discard: true }
        )
        return due.length
      })
      yield* repeatRounds(readiness, "mcp-services", roundMillis, round)

      return McpServices.of({
        create: Effect.fn("McpServices.create")(function*(user, service) {
          const org = user.org_id
          const { name } = service
          if (catalog.shipped.has(name) || reservedServiceNames.has(name)) {
            return yield* Effect.fail(taken(name, "the hub itself"))
          }
          const problems = checkService({ ...service, operations: [] })
          if (problems.length > 0) return yield* refusedInput(problems)
          if ((yield* services.own(org)).some((own) => own.name === name)) {
            return yield* Effect.fail(taken(name, "this workspace"))
          }
          const outcome = yield* listOf(org, service)
          if (!outcome.ok) return yield* Effect.fail(unlisted(outcome.failure, outcome.auth))
          const rows = listedRows([], outcome.value, { pinAll: true })
          yield* insert(user, service, rows)
          return { ...yield* catalog.get(user, name), warnings: warningsOf(service, rows) }
        }),
        tools: (user, name) => listView(user.org_id, name),
        decide: Effect.fn("McpServices.decide")(function*(user, name, { digest, name: tool }, verdict) {
          const org = user.org_id
          yield* heads.lock(org)
          if (Option.isNone(yield* repository.server(org, name))) return yield* Effect.fail(notFound("service"))
          const before = yield* repository.tools(org, name)
          const row = before.find((row) => row.tool === tool)
          if (row === undefined) return yield* Effect.fail(notFound("tool"))
          if (row.pending_digest !== digest) {
            return yield* Effect.fail(
              conflict("conflict", "The tool has no pending change with this digest. Read the tools again.", {
                state: row.state,
                ...row.pending_digest === null ? {} : { digest: row.pending_digest }
              })
            )
          }
          if (verdict === "accept" && row.problem !== null) {
            return yield* Effect.fail(conflict("conflict", `The tool cannot be accepted. ${row.problem}`))
          }
          const next = verdict === "accept" ? accepted(row) : refused(row)
          yield* write(org, name, before, before.map((each) => each === row ? next : each))
          yield* changed(org, actorOf(user), `service.tool_${verdict === "accept" ? "accepted" : "refused"}`, name, {
            tool,
            digest
          })
          return toolView(next)
        }, db.transaction),
        refresh: Effect.fn("McpServices.refresh")(function*(user, name) {
          yield* read(user.org_id, name, actorOf(user))
          return yield* listView(user.org_id, name)
        }),
        round
      })
    })
  )
}

const refusedInput = (problems: ReadonlyArray<Detail>) =>
  Effect.fail(invalidRequest(problemsSentence("The service", problems), problems))

/** Tools that cannot be used, and prices of tools that the server does not have. */
const warningsOf = ({ prices = {} }: McpService, rows: ReadonlyArray<ToolRow>): ReadonlyArray<Detail> => [
  ...rows.flatMap(({ problem, tool }) => problem === null ? [] : [{ path: `tools.${tool}`, message: problem }]),
  ...Object.keys(prices).filter((name) => !rows.some(({ operation, tool }) => tool === name || operation === name)).map(
    (
      name
    ) => ({ path: `prices.${name}`, message: "The server has no tool of this name." })
  )
]
