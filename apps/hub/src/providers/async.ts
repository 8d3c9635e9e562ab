/**
 * Work that a provider finishes later: its reference, and the status from polls and callbacks. Pure. Spec:
 * reference/requests.md "Asynchronous operations", reference/services.md "Callbacks".
 */
import { resolvePointer } from "@countersign/domain/pointer"
import type { HttpOperation, OperationAsync, OperationDefinition, StatusValue } from "@countersign/domain/services"
import { type AsyncOutcome, detailText, refLengthMax } from "./adapter.ts"
import { asResult } from "./answer.ts"

/** A provider's reference: text, or an integer. */
export const refText = (value: unknown): string | undefined => {
  const text = typeof value === "string" ? value : Number.isSafeInteger(value) ? String(value) : undefined
  if (text === undefined || text === "" || text.length > refLengthMax) return undefined
  return text.isWellFormed() && !text.includes("\0") ? text : undefined
}

const pick = (document: unknown, pointer: string | undefined): { readonly found: boolean; readonly value?: unknown } =>
  pointer === undefined ? { found: false } : resolvePointer(document, pointer)

/**
 * Whether an answer names other work than the poll requested. An answer without a reference belongs to the work in its
 * URL.
 */
export const isAboutOther = (async: OperationAsync, document: unknown, ref: string): boolean => {
  const named = refText(pick(document, async.ref).value)
  return named !== undefined && named !== ref
}

/** The status in a poll's answer or a callback's body; a status outside of all lists means running. */
export const readAsync = (async: OperationAsync, document: unknown): AsyncOutcome => {
  const status = pick(document, async.status)
  if (!status.found) return { kind: "running" }
  if (async.executed.includes(status.value as StatusValue)) {
    const result = async.result === undefined ? document : pick(document, async.result).value ?? null
    const cost = pick(document, async.cost_cents)
    return {
      kind: "executed",
      result: asResult(result),
      ...async.cost_cents === undefined
        ? {}
        : cost.found
        ? { actual: cost.value, actualFound: true }
        : { actualFound: false }
    }
  }
  const kind = async.failed.includes(status.value as StatusValue)
    ? "failed"
    : async.blocked?.includes(status.value as StatusValue) === true
    ? "blocked"
    : undefined
  if (kind === undefined) return { kind: "running" }
  return {
    kind,
    detail: textOf(pick(document, async.detail).value, `The provider reported "${String(status.value)}".`)
  }
}

const textOf = (detail: unknown, fallback: string): string => {
  const text = typeof detail === "string"
    ? detail
    : detail === undefined || detail === null
    ? ""
    : JSON.stringify(detail)
  return detailText(text.trim() === "" ? fallback : text)
}

/** The subject of a callback: a request of ours by id, or the provider's work by reference. */
export type CallbackSubject = { readonly requestId: string } | { readonly ref: string }

export type CallbackReading =
  | { readonly subject: CallbackSubject; readonly outcome: AsyncOutcome }
  | { readonly problem: string }

/** Whether a body is in the hook's own form: it names a request, or the provider's work. */
export const isOwnForm = (body: unknown): boolean =>
  isObject(body) && ["service_request_id", "provider_ref"].some((name) => Object.hasOwn(body, name))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Reads the body of a verified callback. A body with `service_request_id` or `provider_ref` is in the hook's own form;
 * any other is read by the operation's pointers, the reference by `async.ref`. Without an operation only the hook's own
 * form can be read.
 */
export const readCallback = (operation: OperationDefinition | undefined, body: unknown): CallbackReading => {
  if (isObject(body) && isOwnForm(body)) return readOwnForm(body)
  const async = operation === undefined ? undefined : (operation as Partial<HttpOperation>).async
  if (async === undefined) return { problem: "the body has no service_request_id and no provider_ref" }
  const ref = refText(pick(body, async.ref).value)
  if (ref === undefined) return { problem: `the body has no reference at ${async.ref}` }
  return { subject: { ref }, outcome: readAsync(async, body) }
}

const readOwnForm = (body: Readonly<Record<string, unknown>>): CallbackReading => {
  const { cost_cents, detail, provider_ref, result, service_request_id, status } = body
  const ref = refText(provider_ref)
  if (service_request_id !== undefined && typeof service_request_id !== "string") {
    return { problem: "service_request_id is not a string" }
  }
  if (service_request_id === undefined && ref === undefined) return { problem: "provider_ref is not a valid reference" }
  const subject = service_request_id === undefined ? { ref: ref! } : { requestId: service_request_id }
  switch (status) {
    case "running":
      return { subject, outcome: { kind: "running" } }
    case "failed":
      return { subject, outcome: { kind: "failed", detail: textOf(detail, "The provider reported a failure.") } }
    case "blocked":
      return { subject, outcome: { kind: "blocked", detail: textOf(detail, "The provider refused by its own rules.") } }
    case "executed":
      return {
        subject,
        outcome: {
          kind: "executed",
          result: result === undefined ? {} : asResult(result),
          ...cost_cents === undefined ? {} : { actual: cost_cents, actualFound: true }
        }
      }
    default:
      return { problem: "status is not executed, failed, blocked, or running" }
  }
}
