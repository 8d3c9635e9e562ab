/** Triggers of a workspace. Spec: reference/triggers.md "Trigger", "Signing secret", "Payload templates", "Deliveries". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidField, invalidRequest, notFound } from "@countersign/domain/errors"
import { type AgentId, idPattern, idSuffixPattern, newId, type OrgId, withPrefix } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { FiringAction } from "@countersign/domain/scheduled-tasks"
import {
  type CreateTriggerInput,
  type DeliveryStatus,
  graceSecondsDefault,
  type NewTrigger,
  type RotatedTriggerSecret,
  type TestTriggerInput,
  type Trigger,
  type TriggerDelivery,
  type TriggerKind,
  triggersMax,
  type TriggerStatus,
  type TriggerTest,
  type UpdateTriggerInput
} from "@countersign/domain/triggers"
import { templateProblems, triggerRoots } from "@countersign/domain/workflow-template"
import { Context, Effect, Layer, Option } from "effect"
import { maySeeOf, ownerFilter } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { Settings } from "../config.ts"
import { Estimates } from "../dispatch/pipeline/estimates.ts"
import { RequestsRepository } from "../dispatch/requests/repository.ts"
import { payloadOf, requestOf } from "../firings/action.ts"
import { FiringAgents } from "../firings/agent.ts"
import { type FiringRow, FiringsRepository } from "../firings/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { newWebhookSecret } from "../platform/signatures.ts"
import { TriggerClock } from "./clock.ts"
import { type TriggerChange, type TriggerRow, TriggersRepository } from "./repository.ts"
import { renderPayload, testDelivery } from "./rules.ts"
import { TriggerSecrets } from "./secrets.ts"
import { toDelivery, toTrigger } from "./view.ts"

const triggerIdPattern = idPattern("trg")
const deliveryIdPattern = new RegExp(`^(?:dlv|srn)_${idSuffixPattern}$`, "u")

/** Audit actions that raise a trigger's version. */
const edits = ["trigger.updated", "trigger.paused", "trigger.resumed"]

export interface TriggerQuery extends PageQuery {
  readonly agent_id?: AgentId
  readonly kind?: TriggerKind
  readonly status?: TriggerStatus
}

export interface DeliveryQuery extends PageQuery {
  readonly status?: DeliveryStatus
}

/** 400 for fields of the other kind, and for a template that can never be filled in. */
const kindProblem = (
  kind: TriggerKind,
  { cron, payload_template, require_timestamp, timezone }: Pick<
    UpdateTriggerInput,
    "cron" | "timezone" | "payload_template" | "require_timestamp"
  >
): ApiError | undefined => {
  const foreign = kind === "cron"
    ? { payload_template, require_timestamp }
    : { cron, timezone }
  const path = Object.entries(foreign).find(([, value]) => value !== undefined)?.[0]
  if (path !== undefined) return invalidField(path, `a trigger of the kind ${kind} has no ${path}`)
  const problems = payload_template === undefined || payload_template === null
    ? []
    : templateProblems(payload_template, "payload_template", triggerRoots)
  return problems.length === 0
    ? undefined
    : invalidRequest(`The payload template is not valid. ${problems[0]?.message ?? ""}`, problems)
}

const nameOf = (kind: TriggerKind, action: FiringAction): string =>
  `${kind === "cron" ? "Cron" : "Webhook"}: ${
    action.type === "service_request" ? `${action.service}.${action.operation}` : "workflow"
  }`.slice(0, 100)

export class Triggers extends Context.Service<Triggers, {
  readonly list: (user: UserPrincipal, query: TriggerQuery) => Effect.Effect<PageOf<Trigger>, ApiError>
  readonly create: (user: UserPrincipal, input: CreateTriggerInput) => Effect.Effect<NewTrigger, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<Trigger, ApiError>
  readonly update: (user: UserPrincipal, id: string, input: UpdateTriggerInput) => Effect.Effect<Trigger, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  readonly rotateSecret: (
    user: UserPrincipal,
    id: string,
    graceSeconds: number | undefined
  ) => Effect.Effect<RotatedTriggerSecret, ApiError>
  readonly test: (user: UserPrincipal, id: string, input: TestTriggerInput) => Effect.Effect<TriggerTest, ApiError>
  readonly listDeliveries: (
    user: UserPrincipal,
    id: string,
    query: DeliveryQuery
  ) => Effect.Effect<PageOf<TriggerDelivery>, ApiError>
}>()("@countersign/hub/triggers/Triggers") {
  static readonly layer = Layer.effect(
    Triggers,
    Effect.gen(function*() {
      const { publicUrl } = yield* Settings
      const triggers = yield* TriggersRepository
      const clock = yield* TriggerClock
      const secrets = yield* TriggerSecrets
      const firingRows = yield* FiringsRepository
      const requests = yield* RequestsRepository
      const estimates = yield* Estimates
      const agents = yield* FiringAgents
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const signals = yield* Signals
      const audit = yield* AuditLog
      const db = yield* Db
      const changed = (org: OrgId) => db.afterCommit(Effect.sync(() => signals.config(org)))

      /** A trigger of an agent that the person sees. */
      const find = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const row = Option.filter(
          yield* triggers.find(user.org_id, id),
          ({ owner_user_id }) => maySeeOf(user, owner_user_id)
        )
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("trigger"))
      })
      const shown = Effect.fnUntraced(function*(org: OrgId, rows: ReadonlyArray<TriggerRow>) {
        const ids = rows.map(({ id }) => id)
        const schedules = yield* clock.schedulesOf(org, rows)
        const fired = yield* firingRows.lastFired(org, ids)
        const now = Date.now()
        return rows.map((row) =>
          toTrigger(row, { schedule: schedules.get(row.id), lastFiredAt: fired.get(row.id), now }, publicUrl)
        )
      })
      const current = Effect.fnUntraced(function*(user: UserPrincipal, id: string) {
        const [trigger] = yield* shown(user.org_id, [yield* find(user, id)])
        return trigger ?? (yield* Effect.die(`trigger ${id} is gone`))
      })
      const record = (
        user: UserPrincipal,
        { agent_id, id }: { readonly id: string; readonly agent_id: AgentId },
        action: string,
        data: Readonly<Record<string, unknown>>
      ) =>
        audit.record(user.org_id, actorOf(user), {
          action: `trigger.${action}`,
          subject: { type: "trigger", id },
          agent_id,
          data
        })

      const create = Effect.fn("Triggers.create")(function*(caller: UserPrincipal, input: CreateTriggerInput) {
        const org = caller.org_id
        const { action, agent_id, enabled = true, kind, payload_template } = input
        const problem = kindProblem(kind, input)
        if (problem !== undefined) return yield* Effect.fail(problem)
        if (kind === "cron" && input.cron === undefined) {
          return yield* Effect.fail(invalidField("cron", "a trigger of the kind cron needs an expression"))
        }
        yield* agents.checkAction(org, action, payload_template !== undefined)
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(org)
        yield* agents.check(user, agent_id, "triggers:write")
        if ((yield* triggers.count(org)) >= triggersMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can have ${triggersMax} triggers; delete one first.`, {
              max: triggersMax
            })
          )
        }
        const id = newId("trg")
        const signing_secret = newWebhookSecret()
        const name = input.name ?? nameOf(kind, action)
        yield* triggers.insert(org, {
          id,
          kind,
          agent_id,
          name,
          action: JSON.stringify(action),
          payload_template: payload_template === undefined ? null : JSON.stringify(payload_template),
          require_timestamp: input.require_timestamp ?? false,
          status: enabled ? "active" : "paused",
          paused_by: enabled ? null : "person",
          secret: secrets.seal(org, id, signing_secret)
        }, at)
        if (kind === "cron") {
          yield* clock.create(org, id, {
            agent_id,
            name,
            action,
            cron: input.cron ?? "",
            timezone: input.timezone ?? "UTC",
            enabled
          }, at)
        }
        yield* record(user, { id, agent_id }, "created", { name, kind })
        return { ...(yield* current(user, id)), signing_secret }
      }, db.transaction)

      const update = Effect.fn("Triggers.update")(
        function*(caller: UserPrincipal, id: string, { expected_version, ...input }: UpdateTriggerInput) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          const before = yield* find(user, id)
          yield* agents.check(user, before.agent_id, "triggers:write")
          if (input.agent_id !== undefined) yield* agents.check(user, input.agent_id, "triggers:write")
          yield* expectVersion(audit, org)({
            noun: "trigger",
            expected: expected_version,
            version: before.version,
            current: current(user, id),
            subject: id,
            actions: edits
          })
          const problem = kindProblem(before.kind, input)
          if (problem !== undefined) return yield* Effect.fail(problem)
          if (Object.keys(input).length === 0) return yield* current(user, id)
          const { action, agent_id, cron: _cron, name, payload_template, require_timestamp, status, timezone: _zone } =
            input
          const hasTemplate = payload_template === undefined
            ? before.payload_template !== null
            : payload_template !== null
          if (action !== undefined || payload_template === null) {
            yield* agents.checkAction(org, action ?? JSON.parse(before.action) as FiringAction, hasTemplate)
          }
          const change: Partial<TriggerChange> = {
            ...(agent_id === undefined ? {} : { agent_id }),
            ...(name === undefined ? {} : { name }),
            ...(action === undefined ? {} : { action: JSON.stringify(action) }),
            ...(payload_template === undefined
              ? {}
              : { payload_template: payload_template === null ? null : JSON.stringify(payload_template) }),
            ...(require_timestamp === undefined ? {} : { require_timestamp }),
            ...(status === undefined || status === before.status
              ? {}
              : { status, paused_by: status === "paused" ? "person" as const : null })
          }
          yield* triggers.update(org, id, change, at)
          if (before.kind === "cron") yield* clock.update(org, id, input, at)
          const verb = change.status === undefined ? "updated" : change.status === "paused" ? "paused" : "resumed"
          yield* record(user, { id, agent_id: agent_id ?? before.agent_id }, verb, {
            fields: Object.keys(input),
            ...(change.status === undefined ? {} : { reason: "person" })
          })
          yield* changed(org)
          return yield* current(user, id)
        },
        db.transaction
      )

      const remove = Effect.fn("Triggers.remove")(function*(caller: UserPrincipal, id: string) {
        const org = caller.org_id
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(org)
        const row = yield* find(user, id)
        yield* agents.check(user, row.agent_id, "triggers:write")
        yield* triggers.remove(org, id, at)
        if (row.kind === "cron") yield* clock.remove(org, id, at)
        yield* record(user, row, "deleted", { name: row.name, kind: row.kind })
        yield* changed(org)
      }, db.transaction)

      const rotateSecret = Effect.fn("Triggers.rotateSecret")(
        function*(caller: UserPrincipal, id: string, graceSeconds: number | undefined) {
          const org = caller.org_id
          const user = yield* rights.hold(caller)
          const at = yield* heads.lock(org)
          const row = yield* find(user, id)
          yield* agents.check(user, row.agent_id, "triggers:write")
          const grace = graceSeconds ?? graceSecondsDefault
          const until = grace === 0 ? null : new Date(at.getTime() + grace * 1_000)
          const signing_secret = newWebhookSecret()
          yield* triggers.rotate(org, id, secrets.seal(org, id, signing_secret), until, at)
          yield* record(user, row, "secret_rotated", { grace_seconds: grace })
          yield* changed(org)
          return { signing_secret, ...(until === null ? {} : { previous_secret_until: until.toISOString() }) }
        },
        db.transaction
      )

      const test = Effect.fn("Triggers.test")(function*(user: UserPrincipal, id: string, input: TestTriggerInput) {
        const row = yield* find(user, id)
        yield* agents.check(user, row.agent_id, "triggers:write")
        const action = JSON.parse(row.action) as FiringAction
        const payload = row.payload_template === null
          ? payloadOf(action)
          : yield* Effect.fromResult(renderPayload(JSON.parse(row.payload_template), testDelivery(input, new Date())))
        const { operation, payload: text, service } = requestOf(action, payload)
        const request = { service, operation, payload: JSON.parse(text) as Record<string, unknown> }
        const estimate = yield* estimates.estimate(user, {
          org: user.org_id,
          agent: row.agent_id,
          mode: "live",
          ...request,
          script: undefined,
          task: undefined
        })
        return { ...request, estimate }
      })

      const deliveriesOf = Effect.fnUntraced(function*(org: OrgId, rows: ReadonlyArray<FiringRow>) {
        const open = rows.flatMap(({ outcome, request_id }) =>
          outcome !== null || request_id === null ? [] : [request_id]
        )
        const found = open.length === 0 ? [] : yield* requests.findMany(org, open)
        const statuses = new Map(found.map(({ id, status }) => [id, status]))
        return rows.map((row) => toDelivery(row, row.request_id === null ? undefined : statuses.get(row.request_id)))
      })

      return Triggers.of({
        create,
        update,
        remove,
        rotateSecret,
        test,
        get: current,
        list: Effect.fn("Triggers.list")(function*(user, query) {
          const org = user.org_id
          const [before] = (yield* decodeCursor(query.cursor, [triggerIdPattern])) ?? []
          const as_of = yield* audit.asOf(org)
          const rows = yield* triggers.list(org, {
            agent: query.agent_id,
            owner: ownerFilter(user),
            kind: query.kind,
            status: query.status,
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, query.limit, ({ id }) => [id])
          return { data: yield* shown(org, data), next_cursor, as_of }
        }),
        listDeliveries: Effect.fn("Triggers.listDeliveries")(function*(user, id, query) {
          const org = user.org_id
          const [before] = (yield* decodeCursor(query.cursor, [deliveryIdPattern])) ?? []
          const { kind } = yield* find(user, id)
          const as_of = yield* audit.asOf(org)
          const rows = yield* firingRows.list(org, {
            schedule: kind === "cron" ? withPrefix("sch", id) : undefined,
            trigger: kind === "cron" ? undefined : id,
            status: query.status,
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const { data, next_cursor } = toPage(rows, query.limit, (row) => [row.id])
          return { data: yield* deliveriesOf(org, data), next_cursor, as_of }
        })
      })
    })
  )
}
