/**
 * Decides a request as far as the configuration allows, without current counters: steps 3 to 6 and 11 of the pipeline,
 * the price, and the limits to check. Pure. The tick checks the limits (steps 7 to 10) and files approvals. Spec:
 * reference/requests.md "Pipeline".
 */
import type { Mode } from "@countersign/domain/auth"
import { type BindingSettings, capsOf, coversOperation } from "@countersign/domain/bindings"
import type { Detail } from "@countersign/domain/errors"
import type { AgentId, OrgId, StandingApprovalId } from "@countersign/domain/ids"
import { masksNothing } from "@countersign/domain/masking"
import type { BlockReasonCode, nextActions } from "@countersign/domain/outcomes"
import {
  type CompiledRule,
  decidePolicy,
  directContext,
  type PolicyContext,
  type PolicyDecision
} from "@countersign/domain/policy-rules"
import { ceilingOf, tokensCeiling } from "@countersign/domain/price"
import { problemsSentence } from "@countersign/domain/schema-problems"
import type { TestOutcome } from "@countersign/domain/service-requests"
import { similarNames } from "@countersign/domain/similar-names"
import { summarize, type SummaryField } from "@countersign/domain/summary"
import { asSentence } from "@countersign/domain/text"
import type { TokenRates } from "@countersign/domain/token-price"
import { Result } from "effect"
import type { CatalogOperation, CatalogService } from "../../catalog/compiled.ts"
import { requestProblems } from "../../providers/http-request.ts"
import { tokenBoundsOf } from "../../providers/llm/bounds.ts"
import { isContextPayload } from "../../providers/llm/context.ts"
import { explained } from "./blocks.ts"

/** The ceiling in whole cents; an operation may set another one for test mode. */
export const ceilingFor = (
  { ratesOf }: Pick<OrgConfiguration, "ratesOf">,
  operation: CatalogOperation,
  payload: Readonly<Record<string, unknown>>,
  mode: Mode
) => {
  const { price, test } = operation.definition
  const scripted = mode === "test" ? test?.ceiling_cents : undefined
  if (scripted !== undefined) return Result.succeed(scripted)
  return price.type === "tokens" ? tokensCeiling(price, tokenBoundsOf(payload), ratesOf) : ceilingOf(price, payload)
}

/** A standing approval as dispatch sees it; its remaining amount is known only under the lock. */
export interface Standing {
  readonly id: StandingApprovalId
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly maxCostCents: number
  /** Whether its condition covers a payload; absent: it covers every payload. */
  readonly covers?: (payload: unknown) => boolean
  readonly expiresAt: number
  /** Limits on its remaining amount and uses. */
  readonly limits: readonly [total: number, uses: number]
}

export interface OrgConfiguration {
  readonly id: OrgId
  readonly rulesVersion: number
  readonly frozen: boolean
  readonly approvalThresholdCents: number
  readonly approvalLifeSeconds: number
  readonly rules: ReadonlyArray<CompiledRule>
  readonly services: ReadonlyMap<string, CatalogService>
  /** The rates of a model, of this moment; `undefined` for one without a price. */
  readonly ratesOf: (model: string) => TokenRates | undefined
}

/** The operation's current schema; `undefined` when the operation no longer exists. */
export const payloadSchemaOf = (
  { services }: Pick<OrgConfiguration, "services">,
  { operation, service }: { readonly service: string; readonly operation: string }
) => services.get(service)?.operations.get(operation)?.definition.payload_schema

/**
 * The fields of a payload that lists show to people: `shown` is the result of `mask`. Empty when the operation no
 * longer exists.
 */
export const summaryOf = (
  { services }: Pick<OrgConfiguration, "services">,
  { operation, service }: { readonly service: string; readonly operation: string },
  shown: unknown
): ReadonlyArray<SummaryField> => {
  const definition = services.get(service)?.operations.get(operation)?.definition
  return definition === undefined ? [] : summarize(definition.payload_schema, shown, definition.summary)
}

/** `service.operation` of the operations whose payloads are shown without masks. */
export const shownWhole = ({ services }: Pick<OrgConfiguration, "services">): ReadonlyArray<string> =>
  [...services].flatMap(([service, { operations }]) =>
    [...operations].filter(([, { definition }]) => masksNothing(definition.payload_schema)).map(([operation]) =>
      `${service}.${operation}`
    )
  )

/** A delegated task of an agent that has not ended. */
export interface DelegatedTask {
  readonly mode: Mode
  /** The agent that delegated it, whose money it spends, and whether its spending is stopped. */
  readonly fromAgentId: AgentId
  readonly stopped: boolean
  readonly services: ReadonlySet<string>
  /** Limits on its budget and of its use in the month. */
  readonly limits: readonly [budget: number, month: number]
  /** Of the agent that delegated it. */
  readonly payer: Payer
}

/** The wallet that pays: of the owner's allocation, the team's pool, or the workspace. */
export interface Payer {
  readonly wallet: number
  /** The row that counts the months of an allocation or a pool. */
  readonly walletMonth: number | null
}

export interface AgentConfiguration {
  readonly id: AgentId
  readonly version: number
  readonly name: string
  readonly status: "active" | "paused" | "disabled"
  readonly frozen: boolean
  readonly teamId: string | null
  readonly ownerUserId: string | null
  readonly approvalThresholdCents: number | null
  readonly payer: Payer
  readonly bindings: ReadonlyMap<string, BindingSettings>
  /** The workflows that are granted to it. */
  readonly workflows: ReadonlySet<string>
  readonly monthLimits: Readonly<Record<Mode, number>>
  readonly standing: ReadonlyArray<Standing>
  /** Tasks that were delegated to it, by id. */
  readonly tasks: ReadonlyMap<string, DelegatedTask>
}

/** The limits that count one operation of an agent. */
export interface OperationLimits {
  readonly day: number
  readonly month: number
}

/**
 * The limits of a request, in the order in which they are reported, and the wallet that pays. A request of a delegated
 * task counts against the task and is paid by the agent that delegated it. `budgets`: of the runs that it is part of.
 */
export const limitSetOf = (
  agent: Pick<AgentConfiguration, "monthLimits" | "payer" | "tasks">,
  { budgets = [], mode, task }: Pick<Asked, "mode" | "task"> & { readonly budgets?: ReadonlyArray<number> | undefined },
  operation: OperationLimits,
  standing: Pick<Standing, "limits"> | undefined
): ReadonlyArray<number> => {
  const { wallet, walletMonth } = payerOf(agent, task)
  return [
    operation.day,
    operation.month,
    ...budgets,
    ...delegatedTask(agent, task)?.limits ?? [agent.monthLimits[mode]],
    wallet,
    ...walletMonth === null || mode === "test" ? [] : [walletMonth],
    ...standing?.limits ?? []
  ]
}

const delegatedTask = ({ tasks }: Pick<AgentConfiguration, "tasks">, task: string | undefined) =>
  task === undefined ? undefined : tasks.get(task)

export const payerOf = (agent: Pick<AgentConfiguration, "payer" | "tasks">, task: string | undefined): Payer =>
  delegatedTask(agent, task)?.payer ?? agent.payer

export interface Asked {
  readonly mode: Mode
  readonly service: string
  readonly operation: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly script: TestOutcome | undefined
  /** The delegated task that the request is for. */
  readonly task?: string | undefined
  /** For policy rules; absent: the agent's own call. */
  readonly context?: PolicyContext
  /** Set when people approved the request: step 11 is skipped, and a higher ceiling than the approved one is stale. */
  readonly granted?: { readonly ceilingCents: number }
  /** Step 11 requires an approval whatever the cost, and no standing approval counts. */
  readonly forceApproval?: boolean
  /** The hub itself filed it, as it did every granted request whose payload has a `context`. */
  readonly isHubs?: boolean
  readonly now: Date
}

/** The limits that a request must fit, before their rows are looked up. */
export interface LimitPlan {
  /** False for a scripted test outcome that skips them. */
  readonly counted: boolean
  readonly standing?: Standing
}

export interface WaitPlan {
  readonly thresholdCents: number
  readonly reason: string
  readonly policyId?: string
  readonly required: number
  readonly deciders?: { readonly roles?: ReadonlyArray<string>; readonly user_ids?: ReadonlyArray<string> }
  readonly lifeSeconds: number
}

export type Decision =
  /** 400: nothing is recorded. */
  | { readonly kind: "invalid"; readonly message: string; readonly details: ReadonlyArray<Detail> }
  | {
    readonly kind: "blocked"
    readonly reason: string
    readonly ceilingCents: number
    readonly block: Readonly<Record<string, unknown>>
  }
  | { readonly kind: "failed"; readonly code: string; readonly detail: string; readonly ceilingCents: number }
  | {
    readonly kind: "wait"
    readonly operation: CatalogOperation | undefined
    readonly ceilingCents: number
    readonly plan: LimitPlan
    readonly wait: WaitPlan
  }
  /** `wait`: the approval to file when the standing approval is used up. */
  | {
    readonly kind: "admit"
    readonly operation: CatalogOperation
    readonly ceilingCents: number
    readonly plan: LimitPlan
    readonly wait?: WaitPlan
    /** Of a granted request: a rule requires approval now, so a standing approval must not grant it. */
    readonly ruled?: true
  }

interface Block {
  readonly reason: BlockReasonCode
  readonly limit: "policy" | "binding" | "frozen" | "approval"
  readonly scope: { readonly type: "org" | "agent" | "operation" | "delegated_task"; readonly id: string }
  readonly next: keyof typeof nextActions
  readonly facts?: Readonly<Record<string, unknown>>
}

const blocked = (agent: AgentId, ceilingCents: number, { facts, limit, next, reason, scope }: Block): Decision => ({
  kind: "blocked",
  reason,
  ceilingCents,
  block: explained({ limit, scope, ...facts, next_action: { kind: next } }, reason, agent)
})

/** Names only what the agent may use. */
const usableNames = (org: OrgConfiguration, agent: AgentConfiguration): ReadonlyArray<string> =>
  [...agent.bindings].flatMap(([name, binding]) => {
    const service = org.services.get(name)
    return service?.enabled === true
      ? [...service.operations.keys()].filter((operation) => coversOperation(binding, operation)).map((operation) =>
        `${name}.${operation}`
      )
      : []
  })

const blockedByRule = (
  org: OrgConfiguration,
  agent: AgentConfiguration,
  { problem, rule }: PolicyDecision,
  ceilingCents: number
): Decision =>
  blocked(agent.id, ceilingCents, {
    reason: "policy_violation",
    limit: "policy",
    scope: { type: "org", id: org.id },
    next: problem === undefined ? "change_request" : "ask",
    facts: {
      ...(rule === undefined ? {} : { policy_id: rule.id, ...(rule.reason === "" ? {} : { reason: rule.reason }) }),
      ...(problem === undefined ? {} : {
        message: `The policy rule "${rule?.name ?? ""}" could not be evaluated for this request, so it blocks it: ${
          asSentence(problem)
        } A person can correct the rule.`
      })
    }
  })

/** The workspace, or the agent whose spending is frozen: the agent itself, or the one that delegated the task. */
const frozenScope = (
  org: OrgConfiguration,
  agent: AgentConfiguration,
  task: { readonly stopped: boolean; readonly fromAgentId: AgentId } | undefined
): Block["scope"] | undefined => {
  if (org.frozen) return { type: "org", id: org.id }
  if (agent.frozen) return { type: "agent", id: agent.id }
  return task?.stopped === true ? { type: "agent", id: task.fromAgentId } : undefined
}

export const decide = (org: OrgConfiguration, agent: AgentConfiguration, asked: Asked): Decision => {
  const service = org.services.get(asked.service)
  const operation = service?.operations.get(asked.operation)
  // Until today's price is calculated, an approved request keeps the ceiling that people approved.
  const pricedCents = asked.granted?.ceilingCents ?? 0

  // 3. The agent's status.
  if (agent.status !== "active") {
    return {
      kind: "failed",
      code: "agent_disabled",
      detail: `The agent is ${agent.status}. A person can set its status to active.`,
      ceilingCents: pricedCents
    }
  }
  // 4. The payload and its price.
  if (operation !== undefined) {
    const problems = isHubsCall(operation, asked) ? [] : payloadProblems(service, operation, asked.payload)
    if (problems.length > 0) {
      return asked.granted === undefined
        ? {
          kind: "invalid",
          message: problemsSentence(`The payload of ${asked.service}.${asked.operation}`, problems),
          details: problems
        }
        : {
          kind: "failed",
          code: "invalid_request",
          detail: `The payload no longer matches the schema: ${problems[0]?.path ?? "payload"}: ${
            problems[0]?.message ?? ""
          }`,
          ceilingCents: pricedCents
        }
    }
  }
  const priced = operation === undefined
    ? Result.succeed(pricedCents)
    : ceilingFor(org, operation, asked.payload, asked.mode)
  if (Result.isFailure(priced)) {
    const detail =
      `The price of ${asked.service}.${asked.operation} cannot be calculated for this payload: ${priced.failure.message}`
    return asked.granted === undefined
      ? { kind: "invalid", message: detail, details: [{ path: "price", message: priced.failure.message }] }
      : { kind: "failed", code: "invalid_request", detail, ceilingCents: pricedCents }
  }
  const ceilingCents = priced.success
  const threshold = thresholdOf(org, agent, asked)
  const plainWait = {
    thresholdCents: threshold,
    reason: "approval_threshold",
    required: 1,
    lifeSeconds: org.approvalLifeSeconds
  }

  if (asked.script !== undefined && asked.granted === undefined) {
    switch (asked.script) {
      case "approval":
        return { kind: "wait", operation, ceilingCents, plan: { counted: false }, wait: plainWait }
      case "failure":
        return { kind: "failed", code: "adapter_error", detail: "Scripted by x-test-outcome.", ceilingCents }
      case "blocked":
        return blocked(agent.id, ceilingCents, {
          reason: "policy_violation",
          limit: "policy",
          scope: { type: "agent", id: agent.id },
          next: "binding"
        })
      case "running":
        if (operation !== undefined) return { kind: "admit", operation, ceilingCents, plan: { counted: false } }
    }
  }
  // 5. The agent's bindings.
  const named = `${asked.service}.${asked.operation}`
  const binding = agent.bindings.get(asked.service)
  if (
    service === undefined || operation === undefined || !service.enabled || binding === undefined ||
    !coversOperation(binding, asked.operation)
  ) {
    const scope = { type: "operation", id: named } as const
    if (operation !== undefined) {
      return blocked(agent.id, ceilingCents, { reason: "policy_violation", limit: "binding", scope, next: "binding" })
    }
    const usable = usableNames(org, agent)
    // A caller may send "texts.send" as the service, with or without the operation.
    const similar = usable.includes(asked.service) ? [asked.service] : similarNames(named, usable)
    return blocked(agent.id, ceilingCents, {
      reason: "policy_violation",
      limit: "binding",
      scope,
      next: "change_request",
      facts: { unknown_operation: true, ...(similar.length === 0 ? {} : { did_you_mean: similar }) }
    })
  }
  if (asked.service === "workflow" && !agent.workflows.has(String(asked.payload["workflow_id"]))) {
    const scope = { type: "operation", id: named } as const
    return blocked(agent.id, ceilingCents, {
      reason: "policy_violation",
      limit: "binding",
      scope,
      next: "ask",
      facts: { message: "The workflow is not granted to this agent. A person can grant it." }
    })
  }
  const task = asked.task === undefined ? undefined : agent.tasks.get(asked.task)
  if (asked.task !== undefined && (task?.mode !== asked.mode || !task.services.has(asked.service))) {
    const scope = { type: "delegated_task", id: asked.task } as const
    return blocked(agent.id, ceilingCents, {
      reason: "policy_violation",
      limit: "policy",
      scope,
      next: "change_request",
      facts: { message: "The delegated task does not exist, has ended, or does not name this service." }
    })
  }
  // 6. Freezes and the workspace's rules.
  const frozen = frozenScope(org, agent, task)
  if (frozen !== undefined) {
    return blocked(agent.id, ceilingCents, { reason: "spending_frozen", limit: "frozen", scope: frozen, next: "wait" })
  }
  const policy = org.rules.length === 0 ? undefined : decidePolicy(org.rules, {
    agent: { id: agent.id, name: agent.name, team_id: agent.teamId ?? "" },
    service: asked.service,
    operation: asked.operation,
    payload: asked.payload,
    ceiling_cents: ceilingCents,
    time: asked.now,
    context: asked.context ?? directContext
  })
  if (policy?.action === "block") {
    return blockedByRule(org, agent, policy, ceilingCents)
  }

  if (asked.granted !== undefined) {
    return ceilingCents > asked.granted.ceilingCents
      ? blocked(agent.id, ceilingCents, {
        reason: "approval_stale",
        limit: "approval",
        scope: { type: "operation", id: named },
        next: "ask"
      })
      : {
        kind: "admit",
        operation,
        ceilingCents,
        plan: { counted: true },
        ...(policy?.action === "require_approval" ? { ruled: true } : {})
      }
  }
  // 11. Approval. Limits are checked before an approval is filed.
  if (policy?.action === "require_approval" && policy.rule !== undefined) {
    const { rule } = policy
    return {
      kind: "wait",
      operation,
      ceilingCents,
      plan: { counted: true },
      wait: {
        thresholdCents: threshold,
        reason: rule.reason === "" ? `policy ${rule.name}` : rule.reason,
        policyId: rule.id,
        required: rule.required_approvals ?? 1,
        ...(rule.deciders === undefined ? {} : { deciders: rule.deciders }),
        lifeSeconds: rule.expires_in_seconds ?? org.approvalLifeSeconds
      }
    }
  }
  if (asked.forceApproval === true) {
    const wait = { ...plainWait, reason: "force_approval" }
    return { kind: "wait", operation, ceilingCents, plan: { counted: true }, wait }
  }
  if (ceilingCents <= threshold) return { kind: "admit", operation, ceilingCents, plan: { counted: true } }
  const [standing] = standingFor(agent, asked, ceilingCents)
  return standing === undefined
    ? { kind: "wait", operation, ceilingCents, plan: { counted: true }, wait: plainWait }
    : { kind: "admit", operation, ceilingCents, plan: { counted: true, standing }, wait: plainWait }
}

/** The standing approvals that may admit a request; the tick checks their remaining amounts. */
export const standingFor = (
  agent: AgentConfiguration,
  asked: Pick<Asked, "mode" | "service" | "operation" | "payload" | "now">,
  ceilingCents: number
): ReadonlyArray<Standing> =>
  agent.standing.filter((given) =>
    given.mode === asked.mode && given.service === asked.service && given.operation === asked.operation &&
    ceilingCents <= given.maxCostCents && asked.now.getTime() < given.expiresAt &&
    (given.covers?.(asked.payload) ?? true)
  )

/**
 * The schema's violations, or, without any, the reasons why the provider's request cannot be written. Only presence and
 * form matter here, so the ids are placeholders.
 */
const payloadProblems = (
  service: CatalogService | undefined,
  operation: CatalogOperation,
  payload: unknown
): ReadonlyArray<Detail> => {
  const problems = operation.validator.validate(payload, "payload")
  return problems.length > 0 || service === undefined
    ? problems
    : requestProblems(service.definition, operation.definition, {
      payload,
      requestId: "req",
      callbackUrl: "https://hub"
    })
}

/** A model call of the hub, whose payload names a prompt: no schema of the catalog has this form. */
const isHubsCall = ({ definition }: CatalogOperation, { granted, isHubs, payload }: Asked): boolean =>
  (isHubs === true || granted !== undefined) && definition.price.type === "tokens" && isContextPayload(payload)

/** The binding's threshold, otherwise the agent's, otherwise the workspace's. */
const thresholdOf = (org: OrgConfiguration, agent: AgentConfiguration, asked: Asked): number => {
  const binding = agent.bindings.get(asked.service)
  const own = binding === undefined ? undefined : capsOf(binding, asked.operation).approval_threshold_cents
  return own ?? agent.approvalThresholdCents ?? org.approvalThresholdCents
}
