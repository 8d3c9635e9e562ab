/** Documents, liveness, readiness, and metrics of a hub. */
import { HubApi } from "@countersign/domain/api"
import { AppStatus } from "@countersign/domain/apps"
import { apiVersion, type Health, minAppVersion, type Ready, type ReadyCheck } from "@countersign/domain/discovery"
import { Unavailable } from "@countersign/domain/errors"
import { endpointsOf, type openApiOf } from "@countersign/domain/openapi"
import { Clock, Context, Effect, Layer, Metric, Option } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { shippedServices } from "../catalog/shipped.ts"
import { skewMillisMax } from "../clock/rules.ts"
import { ClockWatch } from "../clock/watch.ts"
import { Settings } from "../config.ts"
import { newerDatabaseProblem, newestMigration } from "../platform/migrations.ts"
import { type Phase, Readiness } from "../platform/readiness.ts"
import { agentDocs } from "./agent-docs.ts"
import { makeProcessMetrics } from "./process-metrics.ts"
import { DiscoveryRepository } from "./repository.ts"

/** How long `/ready` waits for the database, in milliseconds. */
const databaseMillis = 2_000

/** Why a hub does not accept requests, by its phase. */
const notServing: Readonly<Record<Phase, string | undefined>> = {
  starting: "the hub is starting",
  serving: undefined,
  draining: "the hub is stopping"
}

export interface Document {
  readonly body: string
  /** Quoted, strong. */
  readonly etag: string
}

export const documentOf = (value: unknown): Document => {
  const body = JSON.stringify(value)
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"` }
}

/** A document that the first caller makes. */
const makeOnce = (value: () => unknown): () => Document => {
  let made: Document | undefined
  return () => made ??= documentOf(value())
}

const openApiFile = resolve(import.meta.dirname, "../../../../resources/openapi.json")
let openApi: ReturnType<typeof openApiOf> | undefined
/** The OpenAPI document as the hub serves it: what `npm run generate` wrote. Making it takes 0.6 s of CPU. */
export const openApiDocument = () =>
  openApi ??= JSON.parse(readFileSync(openApiFile, "utf8")) as ReturnType<typeof openApiOf>

/** Of all workspaces, counted in the database at each reading; NaN while it does not answer. */
const pendingGauges = {
  approvals: Metric.gauge("countersign_pending_approvals", {
    description: "Approvals without a decision, in all workspaces."
  }),
  delegated_tasks: Metric.gauge("countersign_open_delegated_tasks", {
    description: "Delegated tasks that have not ended, in all workspaces."
  }),
  invites: Metric.gauge("countersign_pending_invites", { description: "Pending invites, in all workspaces." }),
  agent_requests: Metric.gauge("countersign_open_agent_requests", {
    description: "Agent requests without an answer, in all workspaces."
  }),
  budget_requests: Metric.gauge("countersign_pending_budget_requests", {
    description: "Budget requests without a decision, in all workspaces."
  }),
  publish_requests: Metric.gauge("countersign_pending_publish_requests", {
    description: "Publish requests without a decision, in all workspaces."
  }),
  memories: Metric.gauge("countersign_memories_without_vector", {
    description: "Memories that are not embedded yet, in all workspaces."
  })
}
const connectedApps = Metric.gauge("countersign_connected_apps", {
  description: "Connected apps by status, in all workspaces."
})
const pendingKinds = [
  "approvals",
  "delegated_tasks",
  "invites",
  "agent_requests",
  "budget_requests",
  "publish_requests",
  "memories"
] as const

export class Discovery extends Context.Service<Discovery, {
  /** Made at the first use, as `openApi` is. */
  readonly agentDocs: () => Document
  readonly openApi: () => Document
  readonly health: Health
  /** Fails with the reasons when the hub cannot serve. */
  readonly ready: Effect.Effect<Ready, Unavailable>
  /** Prometheus' text format. */
  readonly metrics: Effect.Effect<string>
}>()("@countersign/hub/discovery/Discovery") {
  static readonly layer = Layer.effect(
    Discovery,
    Effect.gen(function*() {
      const settings = yield* Settings
      const readiness = yield* Readiness
      const clock = yield* ClockWatch
      const repository = yield* DiscoveryRepository
      const hubId = yield* repository.hubId
      const newest = newestMigration()
      const readProcess = yield* makeProcessMetrics(settings.dataDir)

      const database = repository.state.pipe(
        Effect.timeoutOrElse({
          duration: databaseMillis,
          orElse: () => Effect.fail(`the database did not answer within ${databaseMillis / 1000} s`)
        }),
        Effect.result
      )
      const check = (name: string, reason: string | undefined): ReadyCheck =>
        reason === undefined ? { name, ok: true } : { name, ok: false, reason }

      const ready = Effect.gen(function*() {
        const state = yield* database
        const now = yield* Clock.currentTimeMillis
        const silent = readiness.silent()
        const skew = state._tag === "Success" ? Math.abs(state.success.millis - now) : 0
        const checks = [
          check("serving", notServing[readiness.phase()]),
          check("database", state._tag === "Failure" ? state.failure : undefined),
          check(
            "migrations",
            state._tag === "Success" && state.success.migration < newest
              ? `the database is at migration ${state.success.migration}, but this hub needs ${newest}`
              : state._tag === "Success"
              ? newerDatabaseProblem(state.success)
              : undefined
          ),
          check(
            "clock",
            clock.problem() ??
              (skew > skewMillisMax ? `this hub's clock is ${Math.round(skew / 1000)} s off the database's` : undefined)
          ),
          check("disk", readiness.isDiskFull() ? "disk full" : undefined),
          check("workers", silent.length > 0 ? `no sign of life from ${silent.join(", ")}` : undefined)
        ]
        const reasons = checks.flatMap(({ name, reason }) => reason === undefined ? [] : [`${name}: ${reason}`])
        if (reasons.length > 0) {
          return yield* Effect.fail(
            new Unavailable({
              error: { code: "unavailable", message: `Not ready. ${reasons.join("; ")}.`, data: { checks } }
            })
          )
        }
        return { status: "ready" as const, checks }
      })

      return Discovery.of({
        agentDocs: makeOnce(() => agentDocs([...shippedServices().values()], endpointsOf(HubApi), settings)),
        openApi: makeOnce(openApiDocument),
        health: { status: "ok", hub_id: hubId, version: apiVersion, min_app_version: minAppVersion },
        ready,
        metrics: Effect.gen(function*() {
          yield* readProcess
          const counts = yield* repository.pending.pipe(Effect.timeout(databaseMillis), Effect.option)
          for (const kind of pendingKinds) {
            yield* Metric.update(pendingGauges[kind], Option.isSome(counts) ? counts.value[kind] : Number.NaN)
          }
          for (const status of AppStatus.literals) {
            const count = Option.isSome(counts) ? counts.value.apps[status] : Number.NaN
            yield* Metric.update(Metric.withAttributes(connectedApps, { status }), count)
          }
          return yield* PrometheusMetrics.format()
        })
      })
    })
  ).pipe(Layer.provide(DiscoveryRepository.layer))
}
