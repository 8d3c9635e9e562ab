/**
 * `hub race-test`: tests the promise about caps on a running hub from outside. A separate agent gets a small cap, more
 * requests than the cap covers race for it, and the executed requests are counted twice: by the responses, and by the
 * hub's figures.
 */
import type { AgentBudget } from "@countersign/domain/budgets"
import type { Balance } from "@countersign/domain/ledger"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { Effect, Option, Redacted, Result } from "effect"
import { configFromEnv } from "../config.ts"
import { CommandFailure } from "../failure.ts"
import { print } from "./output.ts"

export interface RaceOptions {
  readonly url: Option.Option<string>
  readonly email: Option.Option<string>
  readonly password: Option.Option<Redacted.Redacted>
  readonly token: Option.Option<Redacted.Redacted>
  readonly workspace: Option.Option<string>
  readonly requests: number
  readonly connections: number
  readonly capCents: number
  readonly topUp: boolean
}

/** The price of `echo.say`, the racing operation. */
const priceCents = 1
/** A request whose response was lost is sent again with its key; after that it counts as unclear. */
const sendsMax = 4
const sendMillisMax = 60_000

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

type Headed = Readonly<Record<string, string>>

const fail = (message: string) => Effect.fail(new CommandFailure({ message }))

type Call = (method: string, path: string, headers: Headed, body?: unknown) => Effect.Effect<Answer, CommandFailure>

const callsTo = (url: string): Call => (method, path, headers, body) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        signal: AbortSignal.any([signal, AbortSignal.timeout(sendMillisMax)]),
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      const parsed: unknown = text === "" ? undefined : JSON.parse(text)
      return { status: response.status, headers: response.headers, body: parsed }
    },
    catch: (error) => {
      const cause = error instanceof Error ? error.cause ?? error : error
      const reason = cause instanceof Error ? cause.message : String(cause)
      return new CommandFailure({ message: `The hub at ${url} could not be reached: ${reason}` })
    }
  })

const reasonOf = (body: unknown): string =>
  (body as { readonly error?: { readonly message?: string } } | undefined)?.error?.message ?? "no reason given"

const expect = (what: string, wanted: number) => (answer: Answer): Effect.Effect<Answer, CommandFailure> =>
  answer.status === wanted
    ? Effect.succeed(answer)
    : fail(`${what} was refused (${answer.status}): ${reasonOf(answer.body)}`)

const retryAfterMillis = (answer: Answer): number =>
  Math.max(1, Number(answer.headers.get("retry-after") ?? "1")) * 1_000

export const run = (options: RaceOptions) =>
  Effect.gen(function*() {
    const { capCents, connections, requests, topUp } = options
    if (requests * priceCents <= capCents) {
      const problem = `${requests} requests at ${priceCents} cent cannot pass a cap of ${capCents} cents`
      return yield* fail(`${problem}: use more requests, or a smaller cap.`)
    }
    const settings = yield* Effect.try({ try: configFromEnv, catch: (error) => error })
    const url = new URL(Option.getOrElse(options.url, () => settings.publicUrl.origin)).origin
    const call = callsTo(url)
    const asked = (what: string, wanted: number, ...args: Parameters<Call>) =>
      Effect.flatMap(call(...args), expect(what, wanted))
    const workspace: Headed = Option.match(options.workspace, {
      onNone: () => ({}),
      onSome: (id) => ({ "svc-workspace": id })
    })

    const signIn = Effect.gen(function*() {
      const owner = Option.getOrUndefined(settings.owner)
      const email = Option.getOrElse(options.email, () => owner?.email ?? "")
      const password = Option.getOrUndefined(options.password) ?? owner?.password
      if (email === "" || password === undefined) {
        return yield* fail(
          "Credentials are missing: use --email and --password of an owner, HUB_OWNER_EMAIL and HUB_OWNER_PASSWORD, or --token."
        )
      }
      const answer = yield* asked("Signing in", 200, "POST", "/auth/login", {}, {
        email,
        password: Redacted.value(password)
      })
      return { cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" }
    })
    const bySession = Option.isNone(options.token)
    const person: Headed = {
      ...workspace,
      ...(Option.isSome(options.token)
        ? { authorization: `Bearer ${Redacted.value(options.token.value)}` }
        : yield* signIn)
    }

    const { available_cents: available } = (yield* asked("Reading the balance", 200, "GET", "/balance", person))
      .body as Balance
    if (available < capCents) {
      if (!topUp) {
        return yield* fail(
          `The wallet has ${available} cents and the test spends ${capCents}: add funds, or use --top-up.`
        )
      }
      const missing = { amount_cents: capCents - available, note: "race-test" }
      yield* asked("The top-up", 201, "POST", "/balance/top-up", person, missing)
    }

    const agent = yield* Effect.acquireRelease(
      Effect.map(
        asked("Making an agent", 201, "POST", "/agents", person, {
          name: "Race test",
          description: "Made by hub race-test"
        }),
        ({ body }) => body as { readonly id: string; readonly api_key: string }
      ),
      ({ id }) =>
        Effect.ignore(
          bySession
            ? call("DELETE", `/agents/${id}`, person)
            // A token may not delete an agent: this leaves one without permissions.
            : Effect.andThen(
              call("DELETE", `/agents/${id}/services/echo`, person),
              call("PATCH", `/agents/${id}/key`, person, {})
            )
        )
    )
    const binding = {
      service: "echo",
      operations: ["say"],
      monthly_cap_cents: capCents,
      approval_threshold_cents: capCents
    }
    yield* asked("Binding it to echo", 201, "POST", `/agents/${agent.id}/services`, person, binding)

    const one = Effect.fnUntraced(function*(number: number) {
      const headers = { authorization: `Bearer ${agent.api_key}`, "idempotency-key": `race-${number}` }
      for (let sends = 0; sends < sendsMax;) {
        const request = { service: "echo", operation: "say", payload: { number } }
        const answer = yield* Effect.result(call("POST", "/service-requests", headers, request))
        if (Result.isSuccess(answer) && answer.success.status === 200) return answer.success.body as ServiceRequest
        // A rate-limited request was not processed: it does not count as a try.
        if (Result.isSuccess(answer) && answer.success.status === 429) {
          yield* Effect.sleep(retryAfterMillis(answer.success))
        } else sends++
      }
      return undefined
    })
    const started = performance.now()
    const numbers = Array.from({ length: requests }, (_, number) => number)
    const answers = yield* Effect.forEach(numbers, one, { concurrency: connections })
    const seconds = (performance.now() - started) / 1_000

    const tally = new Map<string, number>()
    for (const answer of answers) {
      const outcome = answer === undefined
        ? "unclear"
        : [answer.status, answer.reason_code].filter((part) => part !== undefined).join(" ")
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
    }
    const answered = answers.reduce((sum, answer) => sum + (answer?.cost_cents ?? 0), 0)
    const budget = (yield* asked("Reading its budget", 200, "GET", `/agents/${agent.id}/budget`, person))
      .body as AgentBudget
    const spent = budget.spent_cents + budget.held_cents
    const over = Math.max(0, answered - capCents, spent - capCents)
    yield* print([
      `${requests} requests over ${connections} connections in ${seconds.toFixed(2)} s (${
        Math.round(requests / seconds)
      }/s)`,
      ...[...tally].sort(([a], [b]) => a < b ? 1 : -1).map(([outcome, count]) => `  ${outcome}: ${count}`),
      `cap: ${capCents} cents`,
      `spent: ${answered} cents by the responses, ${spent} by the hub's ledger`,
      `over the cap: ${over} cents`
    ].join("\n"))
    if (over > 0) return yield* fail("The cap did not hold.")
    const unclear = tally.get("unclear") ?? 0
    if (unclear > 0) return yield* fail(`${unclear} requests received no response after ${sendsMax} attempts.`)
    if (answered !== spent) return yield* fail("The responses and the hub's ledger differ.")
  }).pipe(Effect.scoped)
