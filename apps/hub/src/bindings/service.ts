/** Binding agents to services. Spec: reference/agents.md "Bindings". */
import { Mode, type UserPrincipal } from "@countersign/domain/auth"
import {
  type Binding,
  type BindingInput,
  type BindingSettings,
  capsOf,
  coversOperation,
  hasCaps
} from "@countersign/domain/bindings"
import { type ApiError, type Detail, invalidRequest, notFound } from "@countersign/domain/errors"
import { type AgentId, newId } from "@countersign/domain/ids"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { similarNames } from "@countersign/domain/similar-names"
import { Context, Effect, Layer, Option } from "effect"
import { BindingsRepository } from "../agents/bindings-repository.ts"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { toBindings } from "../agents/service.ts"
import { AppsRepository } from "../apps/repository.ts"
import { mayUse } from "../apps/rules.ts"
import { increaseEnds } from "../budgets/increases.ts"
import { type CapRaise, withinCaps } from "../budgets/rules.ts"
import type { CatalogService } from "../catalog/compiled.ts"
import { Catalog } from "../catalog/service.ts"
import { needsInTeam } from "../edge/access.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"

export class Bindings extends Context.Service<Bindings, {
  /** Creates or replaces; counters stay. Without `expected_version` the later of two concurrent writes wins. */
  readonly put: (
    user: UserPrincipal,
    agent: AgentId,
    input: BindingInput
  ) => Effect.Effect<{ readonly binding: Binding; readonly isNew: boolean }, ApiError>
  readonly disable: (user: UserPrincipal, agent: AgentId, service: string) => Effect.Effect<void, ApiError>
  /**
   * Raises the monthly cap of an operation in the caller's transaction, under the workspace's lock. An operation without
   * a cap stays without one. 404 without a binding that covers it, 409 `conflict` above the largest cap.
   */
  readonly raise: (
    user: UserPrincipal,
    agent: AgentId,
    operation: { readonly service: string; readonly operation: string },
    raise: CapRaise
  ) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/bindings/Bindings") {
  static readonly layer = Layer.effect(
    Bindings,
    Effect.gen(function*() {
      const bindings = yield* BindingsRepository
      const agents = yield* AgentsRepository
      const catalog = yield* Catalog
      const apps = yield* AppsRepository
      const heads = yield* OrgHeads
      const endIncreases = yield* increaseEnds
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const ownAgent = ownAgentIn(agents)
      /** Why a binding may not choose an app: the agent could not use it. */
      const appProblems = Effect.fnUntraced(function*(
        user: UserPrincipal,
        id: string | undefined,
        service: CatalogService | undefined,
        owner: string | null
      ): Effect.fn.Return<ReadonlyArray<Detail>> {
        if (id === undefined || service === undefined) return []
        const auth = service.definition.kind === "builtin" ? undefined : service.definition.auth
        const app = Option.filter(
          yield* apps.find(user.org_id, id),
          ({ provider }) => auth?.type === "oauth_app" && auth.app === provider
        )
        return Option.isSome(app) && mayUse(owner, app.value)
          ? []
          : [{ path: "app_id", message: "This is not a connected app that the agent can use with the service." }]
      })
      const changed = Effect.fnUntraced(function*(
        user: UserPrincipal,
        agent: AgentId,
        action: string,
        service: string,
        data: Readonly<Record<string, unknown>>
      ) {
        const org = user.org_id
        yield* agents.bump(org, agent)
        yield* audit.record(org, actorOf(user), {
          action,
          subject: { type: "agent", id: agent },
          agent_id: agent,
          data: { service, ...data }
        })
        yield* db.afterCommit(Effect.sync(() => signals.config(org)))
      })

      const put = Effect.fn("Bindings.put")(function*(user: UserPrincipal, agent: AgentId, input: BindingInput) {
        const org = user.org_id
        const { expected_version: expected, ...fields } = input
        const settings: BindingSettings = { ...fields, enabled: input.enabled ?? true }
        const at = yield* heads.lock(org)
        const target = yield* ownAgent(user, agent, "agents:write")
        const bound = (yield* catalog.snapshot(org)).get(settings.service)
        const problems = [
          ...bindingProblems(settings, bound),
          ...yield* appProblems(user, settings.app_id, bound, target.owner_user_id)
        ]
        if (problems.length > 0) {
          return yield* Effect.fail(invalidRequest(problemsSentence("The binding", problems), problems))
        }
        const before = yield* bindings.find(org, agent, settings.service)
        yield* expectVersion(audit, org)({
          noun: "binding",
          expected,
          version: Option.isSome(before) ? before.value.version : 0,
          current: Effect.map(
            bindings.figuresOf(org, [agent], "live"),
            (figures) => toBindings(Option.toArray(before), figures)[0]
          ),
          subject: agent,
          actions: ["binding.put", "binding.disabled"],
          service: settings.service
        })
        // A replacement without caps removes the caps.
        if (hasCaps(settings) || (Option.isSome(before) && hasCaps(before.value))) {
          yield* needsInTeam(user, "budgets:write", target.team_id)
        }
        yield* endIncreases(org, at)
        const version = yield* bindings.put(org, agent, newId("bnd"), settings)
        const isNew = Option.isNone(before)
        const figures = yield* bindings.figuresOf(org, [agent], "live")
        const { service, ...rest } = settings
        yield* changed(user, agent, "binding.put", service, { new: isNew, ...rest })
        return { binding: toBindings([{ ...settings, version }], figures)[0]!, isNew }
      }, db.transaction)

      const disable = Effect.fn("Bindings.disable")(function*(user: UserPrincipal, agent: AgentId, service: string) {
        const org = user.org_id
        yield* heads.lock(org)
        yield* ownAgent(user, agent, "agents:write")
        if (!(yield* bindings.disable(org, agent, service))) return yield* Effect.fail(notFound("binding"))
        yield* changed(user, agent, "binding.disabled", service, {})
      }, db.transaction)

      const raise = Effect.fn("Bindings.raise")(function*(
        user: UserPrincipal,
        agent: AgentId,
        { operation, service }: { readonly service: string; readonly operation: string },
        { at, cents, period, request }: CapRaise
      ) {
        const org = user.org_id
        yield* ownAgent(user, agent)
        const found = Option.filter(
          yield* bindings.find(org, agent, service),
          (binding) => coversOperation(binding, operation)
        )
        if (Option.isNone(found)) return yield* Effect.fail(notFound("binding"))
        const { version: _version, ...settings } = found.value
        const cap = capsOf(settings, operation).monthly_cap_cents
        if (cap === undefined) return
        yield* endIncreases(org, at)
        if (period === "once") {
          const limits = yield* bindings.figuresOf(org, [agent], "live")
          const now = limits.find((each) => each.service === service && each.operation === operation)?.month_cap ?? cap
          yield* withinCaps(now, cents)
          const of = { org, agent, service, operation }
          for (const mode of Mode.literals) yield* bindings.ensureLimits({ ...of, mode })
          return yield* bindings.raiseOnce(of, { cents, at })
        }
        yield* withinCaps(cap, cents)
        yield* bindings.put(org, agent, newId("bnd"), {
          ...settings,
          per_operation: {
            ...settings.per_operation,
            [operation]: { ...settings.per_operation?.[operation], monthly_cap_cents: cap + cents }
          }
        })
        yield* changed(user, agent, "binding.put", service, {
          new: false,
          operation,
          monthly_cap_cents: { from: cap, to: cap + cents },
          budget_request_id: request
        })
      })

      return Bindings.of({ put, disable, raise })
    })
  )
}

/**
 * Why a binding is invalid: it names services or operations that are not in the catalog, or sets fields that it does
 * not cover.
 */
const bindingProblems = (input: BindingSettings, service: CatalogService | undefined): ReadonlyArray<Detail> => {
  if (service === undefined) {
    return [{ path: "service", message: `There is no service "${input.service}" in this workspace.` }]
  }
  const all = input.operations[0] === "*"
  const unknown = (name: string) => !service.operations.has(name)
  const noOperation = (name: string) => {
    const [near] = similarNames(name, [...service.operations.keys()])
    return `The service has no operation "${name}".${near === undefined ? "" : ` Did you mean "${near}"?`}`
  }
  return [
    ...input.operations.flatMap((name, at) =>
      name !== "*" && unknown(name) ? [{ path: `operations.${at}`, message: noOperation(name) }] : []
    ),
    ...Object.keys(input.per_operation ?? {}).flatMap((name) =>
      unknown(name)
        ? [{ path: `per_operation.${name}`, message: noOperation(name) }]
        : all || input.operations.includes(name)
        ? []
        : [{ path: `per_operation.${name}`, message: "The binding does not cover this operation." }]
    )
  ]
}
