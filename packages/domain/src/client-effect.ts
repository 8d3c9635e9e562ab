/** The client for Effect: the groups of the contract, and dispatch, poll, and estimate with typed outcomes. */
import { Context, Effect, Layer } from "effect"
import type { ClientError, InputError } from "./client-errors.ts"
import { type GroupMethods, makeGroups } from "./client-groups.ts"
import { type Outcome, outcomeOf } from "./client-outcome.ts"
import { polling } from "./client-polling.ts"
import { type CallOptions, type ClientOptions, readMillis, readSettings } from "./client-settings.ts"
import { makeTransport } from "./client-transport.ts"
import { newIdempotencyKey } from "./idempotency-key.ts"
import type { DispatchInput, Estimate, EstimateInput } from "./service-requests.ts"

export type TestOutcome = "approval" | "failure" | "running" | "blocked"

export interface DispatchOptions extends CallOptions {
  /** Sets the outcome; for test keys only. */
  readonly testOutcome?: TestOutcome
  /** Polls a `running` request until it is executed, failed, or blocked, or the time is used up. Default: no. */
  readonly wait?: boolean
}

export type EstimateOptions = Pick<DispatchOptions, "testOutcome"> & CallOptions

export interface PollOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** The total time to wait, in milliseconds. */
  readonly budgetMillis?: number
  /** Also waits for a person's decision. Without it, `approval_required` is final. */
  readonly untilDecided?: boolean
}

export interface Client extends GroupMethods {
  /**
   * Sends one action. Each try carries an idempotency key, the caller's or a new UUID v4; running the same Effect value
   * again, as `Effect.retry` does, sends the same key.
   */
  readonly dispatch: (input: DispatchInput, options?: DispatchOptions) => Effect.Effect<Outcome, ClientError>
  /**
   * Reads the request at once, and then until it is final; one that still runs at the end of the time has the outcome
   * `running`.
   */
  readonly poll: (id: string, options?: PollOptions) => Effect.Effect<Outcome, ClientError>
  /** The outcome that dispatch would have now; changes nothing. */
  readonly estimate: (
    input: typeof EstimateInput.Type,
    options?: EstimateOptions
  ) => Effect.Effect<Estimate, ClientError>
}

export class HubClient extends Context.Service<HubClient, Client>()("@countersign/domain/client/HubClient") {
  static readonly layer = (options: ClientOptions): Layer.Layer<HubClient, InputError> =>
    Layer.effect(HubClient, makeClient(options))
}

export const makeClient = (options: ClientOptions): Effect.Effect<Client, InputError> =>
  Effect.gen(function*() {
    const settings = yield* readSettings(options)
    const groups = yield* makeGroups(settings, yield* makeTransport(settings))
    const requests = groups.service_requests

    const poll = (id: string, options: PollOptions = {}): Effect.Effect<Outcome, ClientError> =>
      Effect.gen(function*() {
        const { budgetMillis = settings.pollBudgetMillis, untilDecided = false, ...call } = options
        yield* readMillis("budgetMillis", budgetMillis)
        const look = Effect.flatMap(requests.get({ params: { id: id as `req_${string}` } }, call), outcomeOf)
        return yield* polling(yield* look, {
          look,
          budgetMillis,
          isDone: ({ status }) => status !== "running" && !(untilDecided && status === "approval_required")
        })
      })

    const dispatch = (payload: DispatchInput, options: DispatchOptions = {}): Effect.Effect<Outcome, ClientError> => {
      const { wait = false, ...rest } = options
      const idempotencyKey = rest.idempotencyKey ?? newIdempotencyKey()
      const call = { timeoutMillis: settings.dispatchTimeoutMillis, ...rest, idempotencyKey }
      const sent = Effect.flatMap(requests.dispatch({ payload }, call), outcomeOf)
      if (!wait) return sent
      const { workspace, retries } = rest
      const callOfPolls = {
        ...workspace === undefined ? {} : { workspace },
        ...retries === undefined ? {} : { retries }
      }
      return Effect.flatMap(sent, (first) =>
        polling(first, {
          look: Effect.flatMap(requests.get({ params: { id: first.id } }, callOfPolls), outcomeOf),
          budgetMillis: settings.pollBudgetMillis,
          isDone: ({ status }) => status !== "running"
        }))
    }

    return { ...groups, dispatch, poll, estimate: (payload, options) => requests.estimate({ payload }, options) }
  })
