/**
 * Callbacks: a provider, or whoever holds the service's secret, settles what runs. Nothing is read or stored before the signature
 * holds. Spec: contract 8 "reconcile".
 */
import { type ApiError, conflict, invalidRequest, notFound, rateLimited, unauthorized } from "@countersign/domain/errors"
import { parseStrict } from "@countersign/domain/json"
import { actualOf } from "@countersign/domain/price"
import type { OperationDefinition, ServiceDefinition } from "@countersign/domain/services"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { Actor } from "../audit/service.ts"
import { Settings } from "../config.ts"
import { makeRateLimiter, takeFrom } from "../edge/rate-limit.ts"
import { verifySignature } from "../platform/signatures.ts"
import type { AsyncOutcome } from "../providers/adapter.ts"
import { type CallbackReading, readCallback } from "../providers/async.ts"
import { Secrets } from "../secrets/service.ts"
import { Configuration } from "./configuration.ts"
import { Execution } from "./execution.ts"
import { heldRequest, type OpenHold, RequestsRepository, type StoredRequest } from "./repository.ts"
import { Dispatch } from "./service.ts"

export interface Hook {
  readonly provider: string
  readonly org: string | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

export type Reconciled =
  | { readonly kind: "settled"; readonly service_request_id: string; readonly status: string }
  | { readonly kind: "kept" }

/** Whether a request was charged what is told again. With its fraction one may be a cent more: what was left of those before. */
const costs = (told: Extract<AsyncOutcome, { readonly kind: "executed" }>, { ceiling_cents, cost_cents, mode }: StoredRequest): boolean => {
  if (told.actualFound !== true || mode === "test") return true
  const { cents, micros } = actualOf(told.actual, ceiling_cents)
  return cost_cents === cents || (micros > 0 && cost_cents === cents + 1)
}

type Read = Extract<CallbackReading, { readonly outcome: unknown }>

const utf8 = new TextDecoder("utf-8", { fatal: true })

export class Reconcile extends Context.Service<Reconcile, {
  readonly receive: (hook: Hook) => Effect.Effect<Reconciled, ApiError>
  /** A request runs now under this name, or is this one: a callback that was there before it is used. */
  readonly applyEarly: (org: string, service: string, ref: string) => Effect.Effect<void>
}>()("@countersign/hub/dispatch/Reconcile") {
  static readonly layer = Layer.effect(Reconcile, Effect.gen(function*() {
    const settings = yield* Settings
    const secrets = yield* Secrets
    const configuration = yield* Configuration
    const repository = yield* RequestsRepository
    const execution = yield* Execution
    const dispatch = yield* Dispatch
    const limiter = makeRateLimiter("hook", settings.rateLimit.hook)

    const asyncOperations = (definition: ServiceDefinition | undefined): ReadonlyArray<OperationDefinition> =>
      definition === undefined
        ? []
        : (definition.operations as ReadonlyArray<OperationDefinition>).filter((operation) =>
          "async" in operation && operation.async !== undefined
        )

    const parse = (body: Uint8Array): Effect.Effect<unknown, ApiError> =>
      Effect.suspend(() => {
        try {
          const parsed = parseStrict(utf8.decode(body), { nulAllowedUnder: "result" })
          return parsed.ok
            ? Effect.succeed(parsed.value)
            : Effect.fail(invalidRequest(`The body is not acceptable JSON: ${parsed.message}`))
        } catch {
          return Effect.fail(invalidRequest("The body is not valid UTF-8."))
        }
      })

    const actorOf = (provider: string): Actor => ({ type: "provider", id: provider, name: provider })

    /** Settles an open hold, or compares with what stands: the same again is the same answer, another outcome is 409. */
    const conclude = Effect.fnUntraced(function*(hold: OpenHold, read: Read, provider: string) {
      const work = yield* Effect.promise(() => dispatch.workOf(hold.org_id, heldRequest(hold, null)))
      if (work === undefined) return yield* Effect.fail(notFound("service"))
      if (read.outcome.kind === "running") {
        return { kind: "settled" as const, service_request_id: hold.request_id, status: "running" }
      }
      const settled = yield* Effect.promise(() => execution.conclude(work, read.outcome, actorOf(provider), hold.started))
      return settled.kind === "final"
        ? { kind: "settled" as const, service_request_id: hold.request_id, status: settled.status }
        : yield* compare(hold.org_id, hold.request_id, read)
    })

    const compare = Effect.fnUntraced(function*(org: string, id: string, read: Read) {
      const found = yield* repository.find(org, id)
      if (Option.isNone(found)) return yield* Effect.fail(notFound("service request"))
      const { result, status } = found.value
      const { outcome } = read
      const same = outcome.kind === "running" || (outcome.kind === status &&
        (outcome.kind === "failed"
          ? JSON.parse(result ?? "{}").detail === outcome.detail
          : result === JSON.stringify(outcome.result ?? null) && costs(outcome, found.value)))
      if (same) return { kind: "settled" as const, service_request_id: id, status }
      if (outcome.kind === "executed") {
        const { agent_id: agent, service } = found.value
        yield* execution.keepLate({ id, org, agent, service }, {
          status: "executed",
          result: JSON.stringify(outcome.result ?? null)
        })
      }
      return yield* Effect.fail(
        conflict("already_settled", `The request is ${status} already, with another outcome.`, { service_request_id: id, status })
      )
    })

    const apply = Effect.fnUntraced(function*(
      org: string | undefined,
      service: string,
      operations: ReadonlyArray<OperationDefinition>,
      document: unknown,
      raw: string
    ) {
      const readings = [readCallback(undefined, document), ...operations.map((operation) => readCallback(operation, document))]
      let ref: string | undefined
      let problem = "the body names no work"
      for (const reading of readings) {
        if ("problem" in reading) {
          problem = reading.problem
          continue
        }
        if ("requestId" in reading.subject) {
          const id = reading.subject.requestId
          const hold = yield* repository.openHold(id)
          if (Option.isSome(hold) && hold.value.service === service && (org === undefined || hold.value.org_id === org)) {
            if (hold.value.phase === 2) return yield* conclude(hold.value, reading, service)
            // Its provider calls back before it has answered.
            yield* repository.keepEarly(hold.value.org_id, service, id, raw)
            const now = yield* repository.openHold(id)
            if (Option.isSome(now) && now.value.phase !== 2) return { kind: "kept" as const }
            yield* repository.takeEarly(hold.value.org_id, service, id)
            if (Option.isSome(now)) return yield* conclude(now.value, reading, service)
          }
          const owner = org ?? (yield* repository.orgOfSettled(service, id))
          const found = owner === undefined ? Option.none() : yield* repository.find(owner, id)
          if (Option.isNone(found) || found.value.service !== service) return yield* Effect.fail(notFound("service request"))
          if (found.value.status === "running" || found.value.status === "approval_required") {
            return yield* Effect.fail(
              conflict("not_running", "The request does not run at a provider.", { status: found.value.status })
            )
          }
          return yield* compare(owner ?? "", id, reading)
        }
        ref = reading.subject.ref
        const owner = org ?? (yield* repository.orgOfRef(service, ref))
        if (owner === undefined) continue
        const hold = yield* repository.openHoldByRef(owner, service, ref)
        if (Option.isSome(hold)) return yield* conclude(hold.value, reading, service)
        const settled = yield* repository.settledByRef(owner, service, ref)
        if (Option.isSome(settled)) return yield* compare(owner, settled.value, reading)
      }
      if (ref === undefined) return yield* Effect.fail(invalidRequest(`The callback cannot be read: ${problem}.`))
      if (org === undefined) return yield* Effect.fail(notFound("service request"))
      yield* repository.keepEarly(org, service, ref, raw)
      // It may have begun to run between the look and the keeping.
      const now = yield* repository.openHoldByRef(org, service, ref)
      if (Option.isNone(now)) return { kind: "kept" as const }
      yield* repository.takeEarly(org, service, ref)
      const reading = readings.find((candidate): candidate is Read =>
        "outcome" in candidate && "ref" in candidate.subject && candidate.subject.ref === ref
      )
      return reading === undefined ? { kind: "kept" as const } : yield* conclude(now.value, reading, service)
    })

    const receive = Effect.fn("Reconcile.receive")(function*(hook: Hook) {
      const taken = takeFrom(limiter, `${hook.provider} ${hook.org ?? ""}`)
      if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
      const refused = (problem: string) =>
        unauthorized(`The callback is not signed by this service: ${problem}.`, { wants: "signature" })
      const verify = (keys: ReadonlyArray<string>) => {
        const verdict = verifySignature(keys, { headers: hook.headers, body: hook.body, now: Date.now() })
        return verdict.valid ? Effect.void : Effect.fail(refused(verdict.problem))
      }
      if (hook.org === undefined) {
        const secret = settings.reconcileSecrets.get(hook.provider)
        if (secret === undefined) return yield* Effect.fail(notFound("hook"))
        yield* verify([Redacted.value(secret)])
        const document = yield* parse(hook.body)
        const shipped = configuration.shipped(hook.provider)
        if (shipped === undefined) return yield* Effect.fail(notFound("service"))
        return yield* apply(undefined, hook.provider, asyncOperations(shipped), document, utf8.decode(hook.body))
      }
      const org = hook.org
      if (!(yield* repository.orgExists(org))) return yield* Effect.fail(refused("no secret is set for this hook"))
      const service = (yield* Effect.promise(() => configuration.org(org))).services.get(hook.provider)
      const operations = asyncOperations(service?.definition)
      const names = [
        ...new Set(operations.flatMap((operation) =>
          "async" in operation && operation.async?.secret !== undefined ? [operation.async.secret] : []
        ))
      ]
      const keys = yield* Effect.forEach(
        names,
        (name) => Effect.map(secrets.valueOf(org, name), (value) => Option.getOrUndefined(Option.map(value, Redacted.value)))
      )
      yield* verify(keys.filter((key) => key !== undefined))
      const document = yield* parse(hook.body)
      return yield* apply(org, hook.provider, operations, document, utf8.decode(hook.body))
    })

    const applyEarly = (org: string, service: string, ref: string) =>
      Effect.gen(function*() {
        const body = yield* repository.takeEarly(org, service, ref)
        if (Option.isNone(body)) return
        const found = (yield* Effect.promise(() => configuration.org(org))).services.get(service)
        yield* apply(org, service, asyncOperations(found?.definition), JSON.parse(body.value), body.value)
      }).pipe(Effect.ignore)
    execution.onParked((org, service, id, ref) => {
      for (const name of ref === null ? [id] : [id, ref]) Effect.runForkWith(context)(applyEarly(org, service, name))
    })
    const context = yield* Effect.context<never>()
    return Reconcile.of({ receive, applyEarly })
  }))
}
