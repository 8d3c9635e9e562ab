/**
 * Callbacks: a provider, or another holder of the service's secret, settles a running request. Nothing is read or
 * stored before the signature is verified. Callbacks without a valid signature are limited by address, verified ones by
 * hook: the first cannot use up the limit of the second. Spec: reference/services.md "Callbacks".
 */
import {
  type ApiError,
  conflict,
  invalidRequest,
  notFound,
  rateLimited,
  unauthorized
} from "@countersign/domain/errors"
import { isServiceRequestId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import { parseStrict } from "@countersign/domain/json"
import { actualOf } from "@countersign/domain/price"
import type { OperationDefinition } from "@countersign/domain/services"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../../config.ts"
import { addressKey, makeRateLimiter, takeFrom } from "../../edge/rate-limit.ts"
import type { Actor } from "../../platform/audit-log.ts"
import { isSigned, verifySignature } from "../../platform/signatures.ts"
import type { AsyncOutcome } from "../../providers/adapter.ts"
import { type CallbackReading, isOwnForm, readCallback } from "../../providers/async.ts"
import { Configuration } from "../decision/configuration.ts"
import { Execution } from "../pipeline/execution.ts"
import { ParkedRequests } from "../pipeline/parked.ts"
import { Dispatch } from "../pipeline/service.ts"
import { heldRequest, type OpenHold, RequestsRepository, type StoredRequest } from "../requests/repository.ts"
import { asyncOperations, HookSecrets } from "./hook-secrets.ts"

export interface Hook {
  readonly provider: string
  readonly org: OrgId | undefined
  readonly address: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Read only when there is a signature to check. */
  readonly body: Effect.Effect<Uint8Array, ApiError>
}

export type Reconciled =
  | { readonly kind: "settled"; readonly service_request_id: string; readonly status: string }
  | { readonly kind: "kept" }

/**
 * Whether a request was charged the amount that a repeated callback reports. With its fraction, a charge may be one
 * cent higher: fractions of earlier requests are carried over.
 */
const costs = (
  reported: Extract<AsyncOutcome, { readonly kind: "executed" }>,
  { ceiling_cents, cost_cents, mode }: StoredRequest
): boolean => {
  if (reported.actualFound !== true || mode === "test") return true
  const { cents, micros } = actualOf(reported.actual, ceiling_cents)
  return cost_cents === cents || (micros > 0 && cost_cents === cents + 1)
}

type Read = Extract<CallbackReading, { readonly outcome: unknown }>

/**
 * One way to read a body that names the provider's work: by the pointers of an operation, or (none) in the hook's own
 * form.
 */
interface Candidate {
  readonly operation: string | undefined
  readonly ref: string
  readonly reading: Read
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

export class Reconcile extends Context.Service<Reconcile, {
  readonly receive: (hook: Hook) => Effect.Effect<Reconciled, ApiError>
  /** A request now runs under this reference or id: applies a callback that arrived before it. */
  readonly applyEarly: (org: OrgId, service: string, ref: string) => Effect.Effect<void>
}>()("@countersign/hub/dispatch/recovery/Reconcile") {
  static readonly layer = Layer.effect(
    Reconcile,
    Effect.gen(function*() {
      const settings = yield* Settings
      const hookSecrets = yield* HookSecrets
      const configuration = yield* Configuration
      const repository = yield* RequestsRepository
      const execution = yield* Execution
      const dispatch = yield* Dispatch
      const verifiedLimiter = makeRateLimiter("hook", settings.rateLimit.hook)
      const unverifiedLimiter = makeRateLimiter("hook", settings.rateLimit.hook)

      const parse = (body: Uint8Array): Effect.Effect<unknown, ApiError> =>
        Effect.suspend(() => {
          try {
            const parsed = parseStrict(utf8.decode(body), { nulAllowedUnder: "result" })
            return parsed.ok
              ? Effect.succeed(parsed.value)
              : Effect.fail(invalidRequest(`The body is not valid JSON: ${parsed.message}`))
          } catch {
            return Effect.fail(invalidRequest("The body is not valid UTF-8."))
          }
        })

      const actorOf = (provider: string): Actor => ({ type: "provider", id: provider, name: provider })

      /**
       * Settles an open hold, or compares with the stored outcome: the same outcome gets the same answer, another one
       * gets 409.
       */
      const conclude = Effect.fnUntraced(function*(hold: OpenHold, read: Read, provider: string) {
        const work = yield* Effect.promise(() => dispatch.workOf(hold.org_id, heldRequest(hold, null)))
        if (work === undefined) return yield* Effect.fail(notFound("service"))
        if (read.outcome.kind === "running") {
          return { kind: "settled" as const, service_request_id: hold.request_id, status: "running" }
        }
        const settled = yield* Effect.promise(() =>
          execution.conclude(work, read.outcome, actorOf(provider), hold.started)
        )
        return settled.kind === "final"
          ? { kind: "settled" as const, service_request_id: hold.request_id, status: settled.status }
          : yield* compare(hold.org_id, hold.request_id, read)
      })

      const compare = Effect.fnUntraced(function*(org: OrgId, id: ServiceRequestId, read: Read) {
        const found = yield* repository.find(org, id)
        if (Option.isNone(found)) return yield* Effect.fail(notFound("service request"))
        const { block, result, status } = found.value
        const { outcome } = read
        const same = outcome.kind === "running" || (outcome.kind === status &&
          (outcome.kind === "executed"
            ? result === JSON.stringify(outcome.result ?? null) && costs(outcome, found.value)
            : JSON.parse((outcome.kind === "failed" ? result : block) ?? "{}").detail === outcome.detail))
        if (same) return { kind: "settled" as const, service_request_id: id, status }
        if (outcome.kind === "executed") {
          const { agent_id: agent, service } = found.value
          yield* execution.keepLate({ id, org, agent, service }, {
            status: "executed",
            result: JSON.stringify(outcome.result ?? null)
          })
        }
        return yield* Effect.fail(
          conflict("already_settled", `The request is already ${status}, with another outcome.`, {
            service_request_id: id,
            status
          })
        )
      })

      /** For a body that names a request of ours. */
      const applyToRequest = Effect.fnUntraced(function*(
        org: OrgId | undefined,
        service: string,
        id: string,
        reading: Read,
        raw: string
      ) {
        if (!isServiceRequestId(id)) return yield* Effect.fail(notFound("service request"))
        const hold = yield* repository.openHold(id)
        if (Option.isSome(hold) && hold.value.service === service && (org === undefined || hold.value.org_id === org)) {
          if (hold.value.phase === 2) return yield* conclude(hold.value, reading, service)
          // The provider called back before it answered.
          yield* repository.keepEarly(hold.value.org_id, service, id, raw)
          const now = yield* repository.openHold(id)
          if (Option.isSome(now) && now.value.phase !== 2) return { kind: "kept" as const }
          yield* repository.takeEarly(hold.value.org_id, service, id)
          if (Option.isSome(now)) return yield* conclude(now.value, reading, service)
        }
        const owner = org ?? (yield* repository.orgOfSettled(service, id))
        const found = owner === undefined ? Option.none() : yield* repository.find(owner, id)
        if (owner === undefined || Option.isNone(found) || found.value.service !== service) {
          return yield* Effect.fail(notFound("service request"))
        }
        if (found.value.status === "running" || found.value.status === "approval_required") {
          return yield* Effect.fail(
            conflict("not_running", "The request is not running at a provider.", { status: found.value.status })
          )
        }
        return yield* compare(owner, id, reading)
      })

      /** The running request with this reference, of the operation whose pointers read it. */
      const openOf = Effect.fnUntraced(function*(org: OrgId, service: string, { operation, ref }: Candidate) {
        const open = yield* repository.openHoldsByRef(org, { service, operation, ref })
        if (open.length < 2) return Option.fromNullishOr(open[0])
        return yield* Effect.fail(conflict(
          "ambiguous_ref",
          "This provider_ref belongs to requests of several operations. Send service_request_id, or use the operation's own form."
        ))
      })

      const ownerOf = Effect.fnUntraced(function*(org: OrgId | undefined, service: string, ref: string) {
        if (org !== undefined) return org
        const [owner, another] = yield* repository.orgsOfRef(service, ref)
        if (another === undefined) return owner
        return yield* Effect.fail(conflict(
          "conflict",
          "This reference belongs to requests of several workspaces. Send the id of the request, or use ?org=."
        ))
      })

      /**
       * For a body that names the provider's work: an open request comes before a settled one, whichever operation
       * reads it.
       */
      const applyToRef = Effect.fnUntraced(function*(
        org: OrgId | undefined,
        service: string,
        candidates: ReadonlyArray<Candidate>,
        raw: string
      ) {
        const refs = [...new Set(candidates.map(({ ref }) => ref))]
        const settleOpen = Effect.gen(function*() {
          for (const candidate of candidates) {
            const owner = yield* ownerOf(org, service, candidate.ref)
            const hold = owner === undefined ? Option.none() : yield* openOf(owner, service, candidate)
            if (Option.isSome(hold)) return yield* conclude(hold.value, candidate.reading, service)
          }
          return undefined
        })
        const settled = yield* settleOpen
        if (settled !== undefined) return settled
        for (const { operation, reading, ref } of candidates) {
          const owner = yield* ownerOf(org, service, ref)
          const found = owner === undefined
            ? Option.none()
            : yield* repository.settledByRef(owner, service, operation, ref)
          if (owner !== undefined && Option.isSome(found)) return yield* compare(owner, found.value, reading)
        }
        if (org === undefined) return yield* Effect.fail(notFound("service request"))
        yield* Effect.forEach(refs, (ref) => repository.keepEarly(org, service, ref, raw), { discard: true })
        // The request may have begun to run after the first check and before the callback was kept.
        const now = yield* settleOpen
        if (now === undefined) return { kind: "kept" as const }
        yield* repository.dropEarly(org, service, refs, raw)
        return now
      })

      const apply = (
        org: OrgId | undefined,
        service: string,
        operations: ReadonlyArray<OperationDefinition>,
        document: unknown,
        raw: string
      ): Effect.Effect<Reconciled, ApiError> => {
        const ways = isOwnForm(document) || operations.length === 0 ? [undefined] : operations
        const candidates: Array<Candidate> = []
        let problem = "the body has no reference"
        for (const operation of ways) {
          const reading = readCallback(operation, document)
          if ("problem" in reading) problem = reading.problem
          else if ("requestId" in reading.subject) {
            return applyToRequest(org, service, reading.subject.requestId, reading, raw)
          } else candidates.push({ operation: operation?.name, ref: reading.subject.ref, reading })
        }
        return candidates.length === 0
          ? Effect.fail(invalidRequest(`The callback is not valid: ${problem}.`))
          : applyToRef(org, service, candidates, raw)
      }

      const receive = Effect.fn("Reconcile.receive")(function*({ address, body, headers, org, provider }: Hook) {
        /** A rejection before the signature is verified. */
        const refuse = (error: ApiError) => {
          const taken = takeFrom(unverifiedLimiter, addressKey(address))
          return Effect.fail(taken.allowed ? error : rateLimited(taken.resetSeconds))
        }
        const unsigned = (problem: string) =>
          refuse(unauthorized(`The callback is not signed by this service: ${problem}.`, { wants: "signature" }))
        const secret = settings.reconcileSecrets.get(provider)
        if (org === undefined && secret === undefined) {
          return yield* refuse(notFound("hook"))
        }
        if (!isSigned(headers)) {
          return yield* unsigned("the message is not signed")
        }
        const { keys, operations } = org === undefined
          ? {
            keys: secret === undefined ? [] : [Redacted.value(secret)],
            operations: asyncOperations(configuration.shipped(provider))
          }
          : yield* hookSecrets.find(org, provider, address)
        if (keys.length === 0) return yield* unsigned("no secret is set for this hook")
        const bytes = yield* body
        const verdict = verifySignature(keys, { headers, body: bytes, now: Date.now() })
        if (!verdict.valid) return yield* unsigned(verdict.problem)
        const taken = takeFrom(verifiedLimiter, `${provider} ${org ?? ""}`)
        if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
        const document = yield* parse(bytes)
        if (org === undefined && configuration.shipped(provider) === undefined) {
          return yield* Effect.fail(notFound("service"))
        }
        return yield* apply(org, provider, operations, document, utf8.decode(bytes))
      })

      const applyEarly = (org: OrgId, service: string, ref: string) =>
        Effect.gen(function*() {
          const body = yield* repository.takeEarly(org, service, ref)
          if (Option.isNone(body)) return
          const found = (yield* Effect.promise(() => configuration.org(org))).services.get(service)
          const settled = yield* apply(
            org,
            service,
            asyncOperations(found?.definition),
            JSON.parse(body.value),
            body.value
          )
          // The callback may have been kept under several references.
          if (settled.kind === "settled") yield* repository.dropEarly(org, service, undefined, body.value)
        }).pipe(Effect.ignore)
      const parked = yield* ParkedRequests
      yield* parked.each(({ id, org, ref, service }) =>
        Effect.forEach(ref === null ? [id] : [id, ref], (name) => applyEarly(org, service, name), {
          concurrency: "unbounded",
          discard: true
        })
      )
      return Reconcile.of({ receive, applyEarly })
    })
  ).pipe(Layer.provide(HookSecrets.layer))
}
