/**
 * Derives outages from calls. One failed call may be the fault of one endpoint, so it starts a check: a separate small
 * read. If the check fails too, the outage is reported, and the check is repeated until the hub answers it.
 */
import type { HubClient } from "@countersign/hub-client/client"
import type { AnyInput, EndpointName } from "@countersign/hub-client/contract"
import { isHubError } from "@countersign/hub-client/error"
import type { Outage } from "@countersign/hub-client/stream-connection"
import { setOutageOfCalls } from "./connection.ts"

/** A check that takes longer has failed. */
const checkMillisMax = 10_000
/** The shortest and the longest pause between checks. */
const pauseMillisMin = 1_000
export const pauseMillisMax = 10_000

/** Undefined if the hub answered, whatever the answer. */
const phaseOf = (error: unknown): Outage["phase"] | undefined => {
  // Any other rejection is the check's own time limit.
  if (!isHubError(error)) return "offline"
  if (error.code === "not_connected" || error.code === "hub_failing") return undefined
  if (error.status >= 500) return "failing"
  return error.status === 0 || error.code === "unreadable_answer" ? "offline" : undefined
}

export interface CallHealth {
  /** The client, with every call observed. */
  readonly hub: HubClient
  /** Checks at once if an outage is reported. */
  readonly checkNow: () => void
  /** Calls `listener` each time an outage ends. */
  readonly onRecovered: (listener: () => void) => void
}

export const makeCallHealth = (client: HubClient): CallHealth => {
  const recovered: Array<() => void> = []
  let outage: Outage | undefined
  let failures = 0
  let isChecking = false
  /** Calls that failed while no outage was reported. */
  let failedCalls = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const report = (next: Outage | undefined): void => {
    outage = next
    setOutageOfCalls(next)
  }

  const check = async (): Promise<void> => {
    if (isChecking) return
    isChecking = true
    const failedBefore = failedCalls
    clearTimeout(timer)
    if (outage !== undefined) report({ ...outage, retryAt: undefined })
    const failure = await client.call("auth.me", {}, { once: true, signal: AbortSignal.timeout(checkMillisMax) })
      .then(() => undefined, (error: unknown) => error)
    isChecking = false
    const phase = failure === undefined ? undefined : phaseOf(failure)
    if (phase === undefined) {
      succeeded()
      // The check may have been answered before the outage began.
      return failedCalls === failedBefore ? undefined : check()
    }
    const pause = Math.min(pauseMillisMax, pauseMillisMin * 2 ** failures++)
    timer = setTimeout(() => void check(), pause)
    report({
      phase,
      since: outage?.since ?? Date.now(),
      retryAt: Date.now() + pause,
      cause: isHubError(failure) ? failure.code : "timeout"
    })
  }

  const succeeded = (): void => {
    failures = 0
    if (outage === undefined) return
    report(undefined)
    for (const listener of recovered) listener()
  }

  const call = async (endpoint: EndpointName, input: AnyInput, ...rest: ReadonlyArray<unknown>): Promise<unknown> => {
    try {
      const answer = await (client.call as (...args: ReadonlyArray<unknown>) => Promise<unknown>)(
        endpoint,
        input,
        ...rest
      )
      // Another call succeeded, so check at once.
      if (outage !== undefined) void check()
      return answer
    } catch (error) {
      // Readiness answers 503 for reasons that affect requests, not the console.
      if (
        isHubError(error) && phaseOf(error) !== undefined && !endpoint.startsWith("discovery.") && outage === undefined
      ) {
        failedCalls++
        void check()
      }
      throw error
    }
  }

  if (typeof window !== "undefined") window.addEventListener("offline", () => void check())

  return {
    hub: { ...client, call: call as HubClient["call"] },
    checkNow: () => {
      if (outage === undefined) return
      failures = 0
      void check()
    },
    onRecovered: (listener) => void recovered.push(listener)
  }
}
