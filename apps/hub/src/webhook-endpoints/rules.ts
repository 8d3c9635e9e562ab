/**
 * Pure rules of webhook endpoints: addresses, messages, the schedule of attempts, and the end of a failing endpoint.
 * Spec: reference/webhooks.md "Endpoint", "Message", "Attempts", "Disabling".
 */
import type { SourcedEvent } from "@countersign/domain/events"
import type { OrgId } from "@countersign/domain/ids"
import { dayMillis } from "@countersign/domain/time"
import type { WebhookMessage, WebhookType } from "@countersign/domain/webhook-endpoints"
import { webhookTypes } from "@countersign/domain/webhook-endpoints"
import { isIP } from "node:net"
import { addressRefusal, hostOf, portOf, urlProblem, type UrlRules } from "../providers/egress-rules.ts"

/** The pause before each attempt, after the end of the one before it. */
const pausesSeconds = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const
export const attemptsMax = pausesSeconds.length
/** Each pause is this much shorter or longer, by chance, so that a receiver does not get all repeats at once. */
const jitter = 0.1
const retryAfterSecondsMax = 3_600

/** Attempts in progress of one endpoint, on all hubs together. */
export const endpointAttemptsMax = 4
/** Deliveries that one hub reads at most: attempts in progress, and those that wait for one. */
export const hubAttemptsMax = 1_000

/** The longest attempt, in milliseconds. */
export const attemptMillisMax = 15_000
/** A hub sends the deliveries of an endpoint while it has its lease, and renews a lease after this time. */
export const leaseSeconds = 40
export const renewSeconds = 5
/**
 * The longest time between a look at the lease and the start of an attempt, in milliseconds: the attempt ends, and is
 * stored, within the lease.
 */
export const aheadMillisMax = 15_000
/** Deliveries are read ahead for this much work of an endpoint, in milliseconds, and at most this many. */
const aheadMillis = 500
const readMax = 64

const failingMillis = 5 * dayMillis
const failuresMax = 10

/** Why an address cannot receive messages. A name that resolves to a private address is refused at each attempt. */
export const addressProblem = (text: string, rules: UrlRules): string | undefined => {
  const problem = urlProblem(text, rules)
  if (problem !== undefined) return problem
  const url = new URL(text)
  const host = hostOf(url.hostname) === "localhost" ? "127.0.0.1" : hostOf(url.hostname)
  const refusal = isIP(host) === 0 || url.protocol === "http:"
    ? undefined
    : addressRefusal(rules.allow, host, portOf(url))
  return refusal === undefined
    ? undefined
    : `The hub does not call this address: it is ${refusal}. An operator can allow it in HUB_EGRESS_ALLOW.`
}

/** The stored form of a list of types: without repetitions, and null for all of them. */
export const storedTypes = (
  types: ReadonlyArray<WebhookType> | null | undefined
): ReadonlyArray<WebhookType> | null => {
  const chosen = new Set(types ?? webhookTypes)
  return chosen.size === webhookTypes.length ? null : webhookTypes.filter((type) => chosen.has(type))
}

/** Whether an endpoint of these types receives a type; null: all. */
export const receives = (types: ReadonlyArray<string> | null, type: string): boolean =>
  types === null || types.includes(type)

export interface MessageFacts {
  readonly org_id: OrgId
  readonly event_id: string
  readonly type: string
  readonly subject_type: string
  readonly subject_id: string
  readonly version: number
  readonly occurred_at: Date
}

export const factsOf = (org: OrgId, { id, subject, type, version }: SourcedEvent, at: Date): MessageFacts => ({
  org_id: org,
  event_id: id,
  type,
  subject_type: subject.type,
  subject_id: subject.id,
  version,
  occurred_at: at
})

/** The members have this order in every attempt: a signature covers the bytes. */
export const messageOf = (facts: MessageFacts): WebhookMessage => ({
  type: facts.type as WebhookType,
  timestamp: facts.occurred_at.toISOString(),
  data: {
    id: facts.event_id as WebhookMessage["data"]["id"],
    subject: { type: facts.subject_type, id: facts.subject_id },
    version: facts.version,
    workspace: facts.org_id as OrgId
  }
})

/** Seconds of a `Retry-After`, a number or a date; undefined when it is neither. */
export const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000))
}

/**
 * The pause before the next attempt after `tries` ended ones; undefined: there is none. `chance` is in [0, 1). A
 * receiver can ask for a longer pause, never for a shorter one.
 */
export const pauseSeconds = (tries: number, retryAfter: number | undefined, chance: number): number | undefined => {
  const pause = pausesSeconds[tries]
  if (pause === undefined) return undefined
  return Math.max(pause * (1 - jitter + 2 * jitter * chance), Math.min(retryAfter ?? 0, retryAfterSecondsMax))
}

export const isDelivered = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300
/** The receiver asks for no further messages. */
export const isGone = (status: number | undefined): boolean => status === 410

/**
 * Attempts that one endpoint may have in progress: fewer once a hub is half full, so that slow receivers leave room for
 * the others.
 */
export const endpointShare = (inProgress: number): number =>
  inProgress < hubAttemptsMax / 2 ? endpointAttemptsMax : inProgress < hubAttemptsMax * 0.75 ? 2 : 1

/** Deliveries that are read at a time of an endpoint whose attempts take `pace` milliseconds, `share` of them at the same time. */
export const readAhead = (share: number, pace: number | undefined): number =>
  pace === undefined
    ? share
    : Math.max(share, Math.min(readMax, share * Math.floor(aheadMillis / Math.max(1, pace))))

/** Whether an endpoint that has failed since a moment is disabled. */
export const isLost = (failures: number, failingSince: Date | null, now: Date): boolean =>
  failingSince !== null && failures >= failuresMax && now.getTime() - failingSince.getTime() >= failingMillis

/** The ended attempts of one endpoint, in the order of their ends. */
export interface EndpointTally {
  readonly endpoint_id: string
  /** Failed ones since the last delivery among them. */
  readonly failed: number
  readonly delivered: boolean
}

export const tallyOf = (
  attempts: ReadonlyArray<{ readonly endpoint_id: string; readonly delivered: boolean }>
): ReadonlyArray<EndpointTally> => {
  const tallies = new Map<string, EndpointTally>()
  for (const { delivered, endpoint_id } of attempts) {
    const before = tallies.get(endpoint_id) ?? { endpoint_id, failed: 0, delivered: false }
    tallies.set(endpoint_id, {
      endpoint_id,
      failed: delivered ? 0 : before.failed + 1,
      delivered: delivered || before.delivered
    })
  }
  return [...tallies.values()].sort((a, b) => (a.endpoint_id < b.endpoint_id ? -1 : 1))
}
