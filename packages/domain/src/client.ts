/**
 * The client of a hub, derived from the contract: every endpoint as a typed method, with retries, backoff, polling, and
 * idempotency. Runs in Node, browsers, and Electron. Spec: reference/clients.md "Retries", "Polling".
 *
 * `makeClient` and `HubClient.layer` are for Effect; `connect` is the same with promises. Outcomes (`executed`,
 * `blocked`, `approval_required`, `failed`, `running`) are values; a failure or rejection is a `ClientError`: transport
 * problems only.
 */
import { Cause, Effect, Exit, Option, Record as Records } from "effect"
import { HttpClientResponse } from "effect/http"
import {
  type Client,
  type DispatchOptions,
  type EstimateOptions,
  makeClient,
  type PollOptions
} from "./client-effect.ts"
import type { ClientError } from "./client-errors.ts"
import type { GroupMethods } from "./client-groups.ts"
import type { Outcome } from "./client-outcome.ts"
import type { ClientOptions, Signal } from "./client-settings.ts"
import type { DispatchInput, Estimate, EstimateInput } from "./service-requests.ts"

export {
  type Client,
  type DispatchOptions,
  type EstimateOptions,
  HubClient,
  makeClient,
  type PollOptions,
  type TestOutcome
} from "./client-effect.ts"
export * from "./client-errors.ts"
export type { GroupMethods, Method, Opening } from "./client-groups.ts"
export type {
  ApprovalRequired,
  Blocked,
  BlockReason,
  Executed,
  Failed,
  FailureCode,
  Outcome,
  Running
} from "./client-outcome.ts"
export type { CallOptions, ClientOptions, Fetch, Signal } from "./client-settings.ts"

/** The type of `Response` in the environment. */
export type WebResponse = typeof globalThis extends { readonly Response: { readonly prototype: infer R } } ? R : unknown

export interface Abortable {
  /** Ends the call at once: its promise rejects with the signal's reason, and nothing more is sent. */
  readonly signal?: Signal
}

type Promised<M> = M extends { (...args: infer Args): Effect.Effect<infer A, infer _E>; readonly open: unknown }
  ? { (...args: WithSignal<Args>): Promise<A>; readonly open: (...args: WithSignal<Args>) => Promise<WebResponse> }
  : never
type WithSignal<Args extends ReadonlyArray<unknown>> = Args extends [request?: infer R, options?: infer O] ?
  {} extends R ? [request?: R, options?: O & Abortable] : [request: R, options?: O & Abortable]
  : never

type PromisedGroups = {
  readonly [Group in keyof GroupMethods]: {
    readonly [Name in keyof GroupMethods[Group]]: Promised<GroupMethods[Group][Name]>
  }
}

export interface Connection extends PromisedGroups {
  /** Sends one action. Every call carries its own key unless the caller gives one. */
  readonly dispatch: (input: DispatchInput, options?: DispatchOptions & Abortable) => Promise<Outcome>
  readonly poll: (id: string, options?: PollOptions & Abortable) => Promise<Outcome>
  readonly estimate: (input: typeof EstimateInput.Type, options?: EstimateOptions & Abortable) => Promise<Estimate>
}

const isAborted = (signal: Signal | undefined): boolean => signal !== undefined && signal.aborted

const run = async <A>(effect: Effect.Effect<A, ClientError>, signal: Signal | undefined): Promise<A> => {
  if (isAborted(signal)) throw signal?.reason
  const exit = await Effect.runPromiseExit(effect, signal === undefined ? undefined : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw isAborted(signal) ? signal?.reason : Cause.squash(exit.cause)
}

type AnyMethod =
  & ((request: unknown, options: unknown) => Effect.Effect<unknown, ClientError>)
  & {
    readonly open: (
      request: unknown,
      options: unknown
    ) => Effect.Effect<HttpClientResponse.HttpClientResponse, ClientError>
  }

type AnyGroups = Readonly<Record<string, Readonly<Record<string, AnyMethod>>>>

const promised = (method: AnyMethod) =>
  Object.assign(
    (request: unknown, { signal, ...options }: Abortable = {}) => run(method(request, options), signal),
    {
      open: async (request: unknown, options: Abortable = {}) =>
        Option.getOrThrow(HttpClientResponse.toWeb(await run(method.open(request, options), options.signal)))
    }
  )

/** Throws an `InputError` when the options are not valid; sends nothing. */
export const connect = (options: ClientOptions): Connection => {
  const { dispatch, estimate, poll, ...groups }: Client = Effect.runSync(makeClient(options))
  const byGroup: unknown = Records.map(groups as unknown as AnyGroups, (methods) => Records.map(methods, promised))
  return {
    ...byGroup as PromisedGroups,
    dispatch: (input, { signal, ...rest } = {}) => run(dispatch(input, rest), signal),
    poll: (id, { signal, ...rest } = {}) => run(poll(id, rest), signal),
    estimate: (input, { signal, ...rest } = {}) => run(estimate(input, rest), signal)
  }
}
