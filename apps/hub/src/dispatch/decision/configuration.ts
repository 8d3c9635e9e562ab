/**
 * The configuration that dispatch decides with, cached in memory: workspaces with their rules and services, agents with
 * their bindings. Each entry carries the version that it was read at. The tick refuses a decision on an old version, so
 * a missed change costs a second read and never a wrong answer. Estimates, payload masks, and callback settings are
 * read without a version: the cache's lifetime bounds how long they can be out of date. Each version is read before the
 * data it covers. An agent's configuration is covered by its version, so the begins of its requests keep it fresh.
 */
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import type { ServiceDefinition } from "@countersign/domain/services"
import { Context, Effect, Layer } from "effect"
import { type AgentOperation, BindingsRepository } from "../../agents/bindings-repository.ts"
import { Catalog } from "../../catalog/service.ts"
import { ModelCatalog } from "../../models/catalog.ts"
import { BatchedReads } from "../../platform/batched-reads.ts"
import { Cache, onStale } from "../../platform/cache.ts"
import { ConfirmedVersions } from "../../platform/confirmed-versions.ts"
import { Signals } from "../../platform/signals.ts"
import { agentOf, ConfigurationRepository } from "./configuration-repository.ts"
import type { AgentConfiguration, OperationLimits, OrgConfiguration } from "./decision.ts"

/** Operations whose limits are cached. */
const limitsMax = 40_000

/** An agent's id is unique over all workspaces. */
const keyInAgent = ({ agent, mode, operation, service }: AgentOperation): string =>
  `${agent} ${mode} ${service} ${operation}`

/** The configuration for one request. */
export interface Found {
  readonly org: OrgConfiguration
  readonly agent: AgentConfiguration
}

export class Configuration extends Context.Service<Configuration, {
  /**
   * Both, synchronously, when they are in memory; `undefined` when the agent is deleted or belongs to another
   * workspace.
   */
  readonly peek: (org: OrgId, agent: AgentId) => Found | undefined
  readonly load: (org: OrgId, agent: AgentId) => Promise<Found | undefined>
  readonly org: (org: OrgId) => Promise<OrgConfiguration>
  /** Reads both again, in the caller's transaction. */
  readonly read: (org: OrgId, agent: AgentId) => Effect.Effect<Found | undefined>
  /** The rows that count an operation, created at first use. */
  readonly peekLimits: (of: AgentOperation) => OperationLimits | undefined
  readonly limits: (of: AgentOperation) => Promise<OperationLimits>
  readonly forget: (org: OrgId) => void
  /** The definition of a shipped service, the same for every workspace. */
  readonly shipped: (name: string) => ServiceDefinition | undefined
}>()("@countersign/hub/dispatch/decision/Configuration") {
  static readonly layer = Layer.effect(
    Configuration,
    Effect.gen(function*() {
      const configurations = yield* ConfigurationRepository
      const catalog = yield* Catalog
      const models = yield* ModelCatalog
      const bindings = yield* BindingsRepository
      const signals = yield* Signals
      const versions = yield* ConfirmedVersions
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      const readOrg = Effect.fnUntraced(function*(id: OrgId) {
        const org = yield* configurations.org(id)
        return {
          ...org,
          services: yield* catalog.snapshot(id),
          ratesOf: (model: string) => models.peek().table.ratesOf(model)
        } satisfies OrgConfiguration
      })
      const orgs = new Cache({ load: (id: OrgId) => run(readOrg(id)) })
      const agentReads = new BatchedReads((keys: ReadonlyArray<{ readonly org: OrgId; readonly id: AgentId }>) =>
        run(configurations.agentRows(keys))
      )
      const agents = new Cache({
        load: async (key) => {
          const [org, id] = key.split(" ") as [OrgId, AgentId]
          return agentOf(id, await agentReads.get({ org, id }))
        },
        confirmedAt: (_, agent) => agent === undefined ? undefined : versions.confirmedAt(agent.id, agent.version)
      })
      /** Rows of limits are never deleted and their ids never change, so no signal drops these. */
      const limits = new Cache({
        load: (key) => {
          const [org, agent, mode, service, operation] = key.split(" ") as [OrgId, AgentId, Mode, string, string]
          return run(bindings.ensureLimits({ org, agent, mode, service, operation }))
        }
      })
      const limitsByAgent = new Map<string, OperationLimits>()

      const forget = (org: OrgId) => {
        orgs.drop(org)
        agents.dropWhere((key) => key.startsWith(`${org} `))
      }
      const stop = onStale(signals, (org) => {
        if (org !== undefined) return forget(org)
        orgs.clear()
        agents.clear()
      })
      yield* Effect.addFinalizer(() => Effect.sync(stop))

      return Configuration.of({
        peek: (org, agent) => {
          const configuration = orgs.peek(org)
          const found = agents.peek(`${org} ${agent}`)
          return configuration === undefined || found === undefined ? undefined : { org: configuration, agent: found }
        },
        load: async (org, agent) => {
          const [configuration, found] = await Promise.all([orgs.get(org), agents.get(`${org} ${agent}`)])
          return found === undefined ? undefined : { org: configuration, agent: found }
        },
        org: (org) => orgs.get(org),
        read: (org, agent) =>
          Effect.all([readOrg(org), configurations.agent(org, agent)]).pipe(
            Effect.map(([configuration, found]) =>
              found === undefined ? undefined : { org: configuration, agent: found }
            )
          ),
        peekLimits: (of) => limitsByAgent.get(keyInAgent(of)),
        limits: async (of) => {
          const key = keyInAgent(of)
          const made = await limits.get(`${of.org} ${key}`)
          if (limitsByAgent.size >= limitsMax) limitsByAgent.clear()
          limitsByAgent.set(key, made)
          return made
        },
        forget,
        shipped: (name) => catalog.shipped.get(name)
      })
    })
  )
}
