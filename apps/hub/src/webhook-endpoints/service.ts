/** Webhook endpoints of a workspace. Spec: reference/webhooks.md "Endpoint", "Signing secret", "Deliveries", "Replay". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidField, notFound } from "@countersign/domain/errors"
import { idPattern, newId, type OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { dayMillis, momentMillis } from "@countersign/domain/time"
import { graceSecondsDefault } from "@countersign/domain/triggers"
import {
  type CreateWebhookEndpointInput,
  type NewWebhookEndpoint,
  type Replay,
  type RotatedWebhookSecret,
  shownAttemptsMax,
  type UpdateWebhookEndpointInput,
  webhookDays,
  type WebhookDelivery,
  type WebhookDeliveryStatus,
  type WebhookEndpoint,
  webhookEndpointsMax,
  webhookTestType,
  type WebhookType
} from "@countersign/domain/webhook-endpoints"
import { Context, Effect, Layer, Option } from "effect"
import { Rights } from "../auth/rights.ts"
import { Settings } from "../config.ts"
import { needs } from "../edge/access.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { newWebhookSecret } from "../platform/signatures.ts"
import { parseAllowList } from "../providers/egress-rules.ts"
import { type DeliveryRow, WebhookDeliveriesRepository } from "./deliveries-repository.ts"
import { WebhookFanOut } from "./fan-out.ts"
import { type EndpointChange, type EndpointRow, WebhookEndpointsRepository } from "./repository.ts"
import { addressProblem, storedTypes } from "./rules.ts"
import { WebhookSecrets } from "./secrets.ts"
import { WebhookSender } from "./sender.ts"
import { toDelivery, toEndpoint } from "./view.ts"

const endpointIdPattern = idPattern("whk")
const eventIdPattern = idPattern("evt")

/** Audit actions that raise an endpoint's version. */
const edits = [
  "webhook_endpoint.updated",
  "webhook_endpoint.enabled",
  "webhook_endpoint.disabled",
  "webhook_endpoint.disable"
]

export interface DeliveryQuery extends PageQuery {
  readonly status?: WebhookDeliveryStatus
  readonly type?: WebhookType
}

export class WebhookEndpoints extends Context.Service<WebhookEndpoints, {
  readonly list: (user: UserPrincipal, query: PageQuery) => Effect.Effect<PageOf<WebhookEndpoint>, ApiError>
  readonly create: (
    user: UserPrincipal,
    input: CreateWebhookEndpointInput
  ) => Effect.Effect<NewWebhookEndpoint, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<WebhookEndpoint, ApiError>
  readonly update: (
    user: UserPrincipal,
    id: string,
    input: UpdateWebhookEndpointInput
  ) => Effect.Effect<WebhookEndpoint, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  readonly rotateSecret: (
    user: UserPrincipal,
    id: string,
    graceSeconds: number | undefined
  ) => Effect.Effect<RotatedWebhookSecret, ApiError>
  /** Returns before the first attempt. */
  readonly test: (user: UserPrincipal, id: string) => Effect.Effect<WebhookDelivery, ApiError>
  readonly replay: (user: UserPrincipal, id: string, since: string) => Effect.Effect<Replay, ApiError>
  readonly listDeliveries: (
    user: UserPrincipal,
    id: string,
    query: DeliveryQuery
  ) => Effect.Effect<PageOf<WebhookDelivery>, ApiError>
  /** Returns before the attempt. */
  readonly redeliver: (user: UserPrincipal, id: string, delivery: string) => Effect.Effect<WebhookDelivery, ApiError>
}>()("@countersign/hub/webhook-endpoints/WebhookEndpoints") {
  static readonly layer = Layer.effect(
    WebhookEndpoints,
    Effect.gen(function*() {
      const { egressAllow } = yield* Settings
      const endpoints = yield* WebhookEndpointsRepository
      const deliveries = yield* WebhookDeliveriesRepository
      const secrets = yield* WebhookSecrets
      const fanOut = yield* WebhookFanOut
      const sender = yield* WebhookSender
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const urlRules = { allow: parseAllowList(egressAllow.join(",")).entries }
      const wakeSender = db.afterCommit(Effect.sync(sender.wake))
      const announceChange = (id: string) => db.afterCommit(Effect.sync(() => sender.changed(id)))

      const find = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const row = yield* endpoints.find(org, id)
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("webhook endpoint"))
      })
      const current = Effect.fnUntraced(function*(org: OrgId, id: string) {
        return toEndpoint(yield* find(org, id), Date.now())
      })
      const enabled = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const row = yield* find(org, id)
        return row.status === "enabled"
          ? row
          : yield* Effect.fail(
            conflict("conflict", "The endpoint is disabled. Enable it first.", { status: row.status })
          )
      })
      const checkUrl = (url: string) => {
        const problem = addressProblem(url, urlRules)
        return problem === undefined ? Effect.void : Effect.fail(invalidField("url", problem))
      }
      /** The workspace's lock and time, with the person's rights of this moment. */
      const begin = Effect.fnUntraced(function*(caller: UserPrincipal) {
        const user = yield* rights.hold(caller)
        yield* needs(user, "workspace:write")
        return { user, at: yield* heads.lock(user.org_id) }
      })
      const record = (user: UserPrincipal, id: string, action: string, data: Readonly<Record<string, unknown>>) =>
        audit.record(user.org_id, actorOf(user), { action, subject: { type: "webhook_endpoint", id }, data })
      /** The endpoint reads the log from its present end on. */
      const startReading = Effect.fnUntraced(function*(org: OrgId, id: string) {
        yield* endpoints.placeCursor(org, id, yield* audit.seqOf(org))
        yield* db.afterCommit(Effect.sync(fanOut.wake))
      })

      const create = Effect.fn("WebhookEndpoints.create")(
        function*(caller: UserPrincipal, { description = "", types, url }: CreateWebhookEndpointInput) {
          yield* checkUrl(url)
          const { at, user } = yield* begin(caller)
          const org = user.org_id
          if ((yield* endpoints.count(org)) >= webhookEndpointsMax) {
            return yield* Effect.fail(
              conflict(
                "limit_reached",
                `A workspace can have ${webhookEndpointsMax} webhook endpoints; delete one first.`,
                { max: webhookEndpointsMax }
              )
            )
          }
          const id = newId("whk")
          const secret = newWebhookSecret()
          const stored = storedTypes(types)
          const sealed = secrets.seal(org, id, secret)
          yield* endpoints.insert(org, { id, url, description, types: stored, secret: sealed }, at)
          yield* record(user, id, "webhook_endpoint.created", { url, types: stored ?? "all" })
          yield* startReading(org, id)
          return { ...(yield* current(org, id)), secret }
        },
        db.transaction
      )

      const changeOf = (
        before: EndpointRow,
        { description, status, types, url }: UpdateWebhookEndpointInput,
        at: Date
      ): Partial<EndpointChange> => ({
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(types === undefined ? {} : { types: storedTypes(types) }),
        ...(status === undefined || status === before.status
          ? {}
          : status === "disabled"
          ? { status, disabled_by: "person", disabled_at: at }
          : { status, disabled_by: null, disabled_at: null, failures: 0, failing_since: null })
      })

      const update = Effect.fn("WebhookEndpoints.update")(
        function*(caller: UserPrincipal, id: string, { expected_version, ...input }: UpdateWebhookEndpointInput) {
          if (input.url !== undefined) yield* checkUrl(input.url)
          const { at, user } = yield* begin(caller)
          const org = user.org_id
          const before = yield* find(org, id)
          yield* expectVersion(audit, org)({
            noun: "webhook endpoint",
            expected: expected_version,
            version: before.version,
            current: current(org, id),
            subject: id,
            actions: edits
          })
          const change = changeOf(before, input, at)
          if (Object.keys(change).length === 0) return yield* current(org, id)
          yield* endpoints.update(org, id, change, at)
          yield* record(user, id, `webhook_endpoint.${change.status ?? "updated"}`, {
            fields: Object.keys(input),
            ...(change.url === undefined ? {} : { url: change.url })
          })
          if (change.status === "enabled") yield* startReading(org, id)
          yield* announceChange(id)
          return yield* current(org, id)
        },
        db.transaction
      )

      const remove = Effect.fn("WebhookEndpoints.remove")(function*(caller: UserPrincipal, id: string) {
        const { at, user } = yield* begin(caller)
        const { url } = yield* find(user.org_id, id)
        yield* endpoints.remove(user.org_id, id, at)
        yield* record(user, id, "webhook_endpoint.deleted", { url })
        yield* announceChange(id)
      }, db.transaction)

      const rotateSecret = Effect.fn("WebhookEndpoints.rotateSecret")(
        function*(caller: UserPrincipal, id: string, graceSeconds: number | undefined) {
          const { at, user } = yield* begin(caller)
          yield* find(user.org_id, id)
          const grace = graceSeconds ?? graceSecondsDefault
          const until = grace === 0 ? null : new Date(at.getTime() + grace * 1_000)
          const secret = newWebhookSecret()
          yield* endpoints.rotate(user.org_id, id, secrets.seal(user.org_id, id, secret), until, at)
          yield* record(user, id, "webhook_endpoint.secret_rotated", { grace_seconds: grace })
          yield* announceChange(id)
          return { secret, ...(until === null ? {} : { previous_secret_until: until.toISOString() }) }
        },
        db.transaction
      )

      const shown = Effect.fnUntraced(function*(endpoint: EndpointRow, rows: ReadonlyArray<DeliveryRow>) {
        const attempts = Map.groupBy(
          yield* deliveries.attempts(endpoint.org_id, rows.map(({ id }) => id), shownAttemptsMax),
          ({ delivery_id }) => delivery_id
        )
        return rows.map((row) => toDelivery(row, attempts.get(row.id) ?? [], endpoint.status === "enabled"))
      })
      const delivery = Effect.fnUntraced(function*(endpoint: EndpointRow, id: string) {
        const row = yield* deliveries.find(endpoint.org_id, endpoint.id, id)
        if (Option.isNone(row)) return yield* Effect.fail(notFound("delivery"))
        const [one] = yield* shown(endpoint, [row.value])
        return one ?? (yield* Effect.die(`delivery ${id} is gone`))
      })

      const test = Effect.fn("WebhookEndpoints.test")(function*(caller: UserPrincipal, id: string) {
        const { at, user } = yield* begin(caller)
        const org = user.org_id
        const endpoint = yield* enabled(org, id)
        const delivery_id = newId("dlv")
        // The noun is not the endpoint's: a test is no change that readers of events must hear of.
        yield* record(user, id, "webhook_delivery.tested", { delivery_id })
        yield* deliveries.insert(id, delivery_id, {
          org_id: org,
          event_id: newId("evt"),
          type: webhookTestType,
          subject_type: "webhook_endpoint",
          subject_id: id,
          version: yield* audit.seqOf(org),
          occurred_at: at
        }, at)
        yield* wakeSender
        return yield* delivery(endpoint, delivery_id)
      }, db.transaction)

      const replay = Effect.fn("WebhookEndpoints.replay")(function*(caller: UserPrincipal, id: string, moment: string) {
        const { at, user } = yield* begin(caller)
        yield* enabled(user.org_id, id)
        if (momentMillis(moment) > at.getTime()) {
          return yield* Effect.fail(invalidField("since", "it is in the future"))
        }
        const since = new Date(Math.max(momentMillis(moment), at.getTime() - webhookDays * dayMillis))
        const entries = yield* endpoints.rewind(user.org_id, id, since)
        yield* record(user, id, "webhook_delivery.replayed", { since: since.toISOString(), entries })
        yield* db.afterCommit(Effect.sync(fanOut.wake))
        return { since: since.toISOString(), entries }
      }, db.transaction)

      const redeliver = Effect.fn("WebhookEndpoints.redeliver")(
        function*(caller: UserPrincipal, id: string, delivery_id: string) {
          const { at, user } = yield* begin(caller)
          const endpoint = yield* enabled(user.org_id, id)
          yield* delivery(endpoint, delivery_id)
          yield* deliveries.redeliver(user.org_id, id, delivery_id, at)
          yield* record(user, id, "webhook_delivery.redelivered", { delivery_id })
          yield* wakeSender
          return yield* delivery(endpoint, delivery_id)
        },
        db.transaction
      )

      return WebhookEndpoints.of({
        create,
        update,
        remove,
        rotateSecret,
        test,
        replay,
        redeliver,
        get: (user, id) => current(user.org_id, id),
        list: Effect.fn("WebhookEndpoints.list")(function*(user, query) {
          const [before] = (yield* decodeCursor(query.cursor, [endpointIdPattern])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* endpoints.list(user.org_id, before, query.limit ?? pageLimitDefault)
          const page = toPage(rows, query.limit, ({ id }) => [id])
          const now = Date.now()
          return { data: page.data.map((row) => toEndpoint(row, now)), next_cursor: page.next_cursor, as_of }
        }),
        listDeliveries: Effect.fn("WebhookEndpoints.listDeliveries")(function*(user, id, query) {
          const endpoint = yield* find(user.org_id, id)
          const [before] = (yield* decodeCursor(query.cursor, [eventIdPattern])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* deliveries.list(user.org_id, id, {
            status: query.status,
            type: query.type,
            before,
            limit: query.limit ?? pageLimitDefault
          })
          const page = toPage(rows, query.limit, ({ event_id }) => [event_id])
          return { data: yield* shown(endpoint, page.data), next_cursor: page.next_cursor, as_of }
        })
      })
    })
  )
}
