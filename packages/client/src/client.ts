/** The client: methods of all endpoints, made from the generated table, and the shortcuts of dispatch. */
import { newIdempotencyKey } from "@countersign/domain/idempotency-key"
import { ChatTurn } from "./chat.ts"
import { inputError } from "./errors.ts"
import { EventStream } from "./events.ts"
import { operations } from "./generated/operations.ts"
import type { Resources } from "./generated/resources.ts"
import type { DispatchInput, Estimate } from "./generated/types.ts"
import { type Outcome, outcomeOf } from "./outcome.ts"
import { Pages } from "./pages.ts"
import { pollBudgetMillis, polling } from "./polling.ts"
import {
  type CallOptions,
  type ClientOptions,
  type DispatchOptions,
  readIdempotencyKey,
  readMillis,
  readRetries,
  readSettings,
  readWorkspace,
  type Settings
} from "./settings.ts"
import { type Call, makeTransport, readBytes, readJson, readNothing, readText, type Transport } from "./transport.ts"

export interface DispatchAndWaitOptions extends DispatchOptions {
  /** Polls a `running` request until it is final, or the time is over. Default: no. */
  readonly wait?: boolean
}

export interface PollOptions extends CallOptions {
  /** The total time in milliseconds. Default: 300,000. */
  readonly budget?: number
  /** Also waits for a person's decision. Without it, `approval_required` is final. */
  readonly untilDecided?: boolean
}

export interface Shortcuts {
  /** Sends one action. All attempts carry the same idempotency key, so a retry never pays twice. */
  readonly dispatch: (input: DispatchInput, options?: DispatchAndWaitOptions) => Promise<Outcome>
  /** Reads a request until it is final; one that still runs at the end of the time is `running`. */
  readonly poll: (id: string, options?: PollOptions) => Promise<Outcome>
  /** The outcome that dispatch would have now; changes nothing. */
  readonly estimate: (input: DispatchInput & { readonly agent_id?: string }, options?: CallOptions) => Promise<Estimate>
  /** The same client with other options. */
  readonly withOptions: (options: ClientOptions) => Countersign
}

export type Countersign = Resources & Shortcuts

type Values = Readonly<Record<string, unknown>>

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly queryNames: ReadonlyArray<string> | undefined
  readonly flags: string
}

const operationOf = ([id, row]: readonly [string, string]): Operation => {
  const [method = "", address = "", flags = ""] = row.split(" ")
  const [path = "", query] = address.split("?")
  return { id, method, path, queryNames: query?.split("&"), flags }
}

const table = Object.entries(operations).map(operationOf)

const camelOf = (name: string): string => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())

const queryOf = (values: Values): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) query.append(name, String(each))
    }
  }
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}

/** The path with its parameters. An empty one would address another endpoint. */
const pathOf = (path: string, values: ReadonlyArray<unknown>): string => {
  let at = 0
  return path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const value = values[at++]
    if (typeof value !== "string" || value === "" || value === "." || value === "..") {
      throw inputError(name, "expected a text that is not empty")
    }
    return encodeURIComponent(value)
  })
}

const callOf = (operation: Operation, args: ReadonlyArray<unknown>, settings: Settings): Call & { input: Values } => {
  const { flags, id, method, path, queryNames } = operation
  const count = path.split("{").length - 1
  let at = count
  const data = flags.includes("o") ? args[at++] : undefined
  const input = (flags.includes("q") ? args[at++] ?? {} : {}) as Values
  const options = (args[at] ?? {}) as DispatchOptions
  const isQuery = (name: string) => queryNames === undefined ? !flags.includes("j") : queryNames.includes(name)
  const fields = Object.entries(input)
  const query = Object.fromEntries(fields.filter(([name]) => isQuery(name)))
  const hasBody = flags.includes("j") || flags.includes("o")
  const workspace = options.workspace === undefined ? settings.workspace : readWorkspace(options.workspace)
  const key = flags.includes("i") ? readIdempotencyKey(options.idempotencyKey ?? newIdempotencyKey()) : undefined
  const isLong = flags.includes("c") || id === "service_requests.dispatch" || id === "service_requests.test"
  return {
    method,
    path: pathOf(path, args.slice(0, count)) + queryOf(query),
    headers: {
      accept: flags.includes("e") || flags.includes("c") ? "text/event-stream" : "application/json, */*;q=0.5",
      ...hasBody ? { "content-type": data === undefined ? "application/json" : "application/octet-stream" } : {},
      ...workspace === undefined ? {} : { "svc-workspace": workspace },
      ...key === undefined ? {} : { "idempotency-key": key },
      ...options.testOutcome === undefined ? {} : { "x-test-outcome": options.testOutcome },
      ...options.delegatedTask === undefined ? {} : { "x-delegated-task": options.delegatedTask }
    },
    ...hasBody
      ? {
        body: data === undefined
          ? JSON.stringify(Object.fromEntries(fields.filter(([name]) => !isQuery(name))))
          : data as Uint8Array | Blob | string
      }
      : {},
    retries: options.retries === undefined ? settings.retries : readRetries(options.retries),
    timeout: options.timeout === undefined
      ? isLong ? settings.dispatchTimeout : settings.timeout
      : readMillis("timeout", options.timeout),
    signal: options.signal,
    follows: flags.includes("b"),
    input
  }
}

const resuming = (call: Call, lastEventId: string | undefined, signal: AbortSignal): Call => ({
  ...call,
  retries: 0,
  signal,
  headers: { ...call.headers, ...lastEventId === undefined ? {} : { "last-event-id": lastEventId } }
})

const run = (operation: Operation, args: ReadonlyArray<unknown>, settings: Settings, transport: Transport): unknown => {
  const { flags, id } = operation
  const call = () => callOf(operation, args, settings)
  const json = (made: Call) => transport.send(made, readJson)
  const { sleep } = settings
  switch (flags.at(-1)) {
    case "p":
      return new Pages((cursor) => {
        if (cursor === undefined) return json(call())
        const at = operation.path.split("{").length - 1
        const next = [...args]
        next[at] = { ...args[at] as Values, cursor }
        return json(callOf(operation, next, settings))
      })
    case "t":
      return transport.send(call(), readText)
    case "b":
      return transport.send(call(), readBytes)
    case "e": {
      const { retries, signal, ...rest } = call()
      const open = (lastEventId: string | undefined, signal: AbortSignal) =>
        transport.open(resuming({ ...rest, retries, signal }, lastEventId, signal))
      return new EventStream({ open, sleep, retries, signal, isEndless: id === "events.stream" })
    }
    case "c": {
      const first = call()
      const { input, retries, signal } = first
      return new ChatTurn({
        sleep,
        retries,
        signal,
        open: (resume, signal) => {
          if (resume === undefined) return transport.open({ ...first, retries: 0, signal })
          const { ["idempotency-key"]: _, ...headers } = first.headers
          const body = JSON.stringify({ session_id: input["session_id"], continue_from: resume.turnId })
          return transport.open(resuming({ ...first, headers, body }, resume.lastEventId, signal))
        }
      })
    }
    case "n":
      return transport.send(call(), readNothing)
    default:
      return json(call())
  }
}

const makeResources = (settings: Settings, transport: Transport): Resources => {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const operation of table) {
    const [group = "", name = ""] = operation.id.split(".")
    const methods = groups[camelOf(group)] ??= {}
    methods[camelOf(name)] = (...args: ReadonlyArray<unknown>) => run(operation, args, settings, transport)
  }
  return groups as unknown as Resources
}

const isFinal = ({ status }: Outcome, untilDecided: boolean): boolean =>
  status !== "running" && !(untilDecided && status === "approval_required")

const makeClient = (options: ClientOptions = {}): Countersign => {
  const settings = readSettings(options)
  const resources = makeResources(settings, makeTransport(settings))
  const requests = resources.serviceRequests

  const look = async (id: string, options: CallOptions): Promise<Outcome> =>
    outcomeOf(await requests.get(id, {}, options))
  const pollFrom = (seen: Outcome, budget: number, untilDecided: boolean, options: CallOptions): Promise<Outcome> =>
    polling(seen, {
      budget,
      look: () => look(seen.id, options),
      isDone: (outcome) => isFinal(outcome, untilDecided),
      sleep: (millis) => settings.sleep(millis, options.signal)
    })

  return {
    ...resources,
    dispatch: async (input, { wait = false, ...options } = {}) => {
      const outcome = outcomeOf(await requests.dispatch(input, options))
      if (!wait) return outcome
      const { delegatedTask: _d, idempotencyKey: _k, testOutcome: _t, timeout: _o, ...call } = options
      return pollFrom(outcome, pollBudgetMillis, false, call)
    },
    poll: async (id, { budget = pollBudgetMillis, untilDecided = false, ...options } = {}) => {
      readMillis("budget", budget)
      return pollFrom(await look(id, options), budget, untilDecided, options)
    },
    estimate: (input, options) => requests.estimate(input, options),
    withOptions: (other) => makeClient({ ...withoutCredential(options, other), ...other })
  }
}

/** A new credential replaces the old one, of whatever kind. */
const withoutCredential = (options: ClientOptions, other: ClientOptions): ClientOptions => {
  if (other.apiKey === undefined && other.token === undefined && other.session === undefined) return options
  const { apiKey: _a, session: _s, token: _t, ...rest } = options
  return rest
}

/** `new Countersign({ baseUrl, apiKey | token | session })`. */
export const Countersign = function(options?: ClientOptions): Countersign {
  return makeClient(options)
} as unknown as new(options?: ClientOptions) => Countersign
