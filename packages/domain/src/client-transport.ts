/** One HTTP call: credential, headers, timeout, retries, and errors. */
import { Clock, Context, Effect } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { type ClientError, InputError, NetworkError, refusalError } from "./client-errors.ts"
import { retrying } from "./client-retry.ts"
import { readToken, type Settings, type Signal } from "./client-settings.ts"
import { mayRepeat, parseRetryAfter } from "./retry-rules.ts"

/** The facts of a call beyond its request. */
export interface Call {
  readonly idempotencyKey: string | undefined
  readonly testOutcome: string | undefined
  readonly workspace: string | undefined
  readonly retries: number
  readonly timeoutMillis: number
  /** Leaves the body to the caller: the timeout then covers only the head. */
  readonly streams: boolean
  /** Ends a body that is still arriving. */
  readonly signal: Signal | undefined
}

/** The current call of the running fiber. */
export class CurrentCall
  extends Context.Service<CurrentCall, Call>()("@countersign/domain/client-transport/CurrentCall")
{}

declare const AbortSignal: { any(signals: ReadonlyArray<unknown>): unknown }

export type Transport = HttpClient.HttpClient.With<ClientError, CurrentCall>
type Answer = HttpClientResponse.HttpClientResponse

export const makeTransport = (settings: Settings): Effect.Effect<Transport> =>
  Effect.gen(function*() {
    const plain = yield* HttpClient.HttpClient
    const scoped = HttpClient.withScope(plain)

    const prepare = Effect.fnUntraced(function*(request: HttpClientRequest.HttpClientRequest, call: Call) {
      const credential = settings.credential()
      const headers: Record<string, string> = { accept: call.streams ? "*/*" : "application/json, */*;q=0.5" }
      if (credential !== undefined) headers["authorization"] = `Bearer ${yield* readToken("credential", credential)}`
      const workspace = call.workspace ?? settings.workspace
      if (workspace !== undefined) headers["svc-workspace"] = workspace
      if (call.idempotencyKey !== undefined) headers["idempotency-key"] = call.idempotencyKey
      if (call.testOutcome !== undefined) headers["x-test-outcome"] = call.testOutcome
      return HttpClientRequest.setHeaders(request, headers)
    })

    const settle = Effect.fnUntraced(function*(response: Answer, call: Call) {
      const isAnswer = response.status >= 200 && response.status < 300
      if (isAnswer && call.streams) return response
      if (isAnswer && response.headers["content-type"]?.startsWith("text/event-stream") === true) {
        return yield* new InputError({
          code: "invalid_request",
          message: "The answer is a stream without an end: call `open`."
        })
      }
      // Read here, so that a broken body is a network error like any other; the text stays with the response.
      const body = yield* Effect.mapError(response.text, (error) => networkError(settings, error, response))
      if (isAnswer) return response
      const { date, "retry-after": retryAfter, "x-request-id": requestId } = response.headers
      return yield* refusalError({
        status: response.status,
        body,
        requestId,
        retryAfterMillis: parseRetryAfter(retryAfter, date, yield* Clock.currentTimeMillis)
      })
    })

    const attempt = (request: HttpClientRequest.HttpClientRequest, call: Call): Effect.Effect<Answer, ClientError> =>
      Effect.flatMap(prepare(request, call), (prepared) => {
        const send = <R>(client: HttpClient.HttpClient.With<HttpClientError.HttpClientError, R>) =>
          client.execute(prepared).pipe(
            Effect.mapError((error) => networkError(settings, error)),
            Effect.flatMap((response) => settle(response, call))
          )
        // The end of the scope closes the connection of an abandoned try.
        return call.streams ? send(plain) : Effect.scoped(send(scoped))
      }).pipe(
        Effect.timeoutOrElse({
          duration: call.timeoutMillis,
          orElse: () => {
            const message = `${settings.baseUrl} did not answer within ${call.timeoutMillis} ms.`
            return Effect.fail(new NetworkError({ code: "timeout", message }))
          }
        }),
        overFetch(settings, call)
      )

    return HttpClient.makeWith<never, never, ClientError, CurrentCall>(
      Effect.flatMap((request) =>
        Effect.flatMap(CurrentCall, (call) =>
          retrying(
            attempt(request, call),
            mayRepeat(request.method, call.idempotencyKey !== undefined) ? call.retries : 0,
            (error) => request.method === "DELETE" && error.status === 404 ? gone(request) : undefined
          ))
      ),
      Effect.succeed
    )
  }).pipe(Effect.provide(FetchHttpClient.layer))

type WebResponse = Parameters<typeof HttpClientResponse.fromWeb>[1]
declare const Response: new(body: null, init: { readonly status: number }) => WebResponse

/** An earlier attempt of this DELETE succeeded, and its answer was lost. */
const gone = (request: HttpClientRequest.HttpClientRequest): Answer =>
  HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))

/** Redirects are not followed: a POST would arrive as a GET, and the credential would reach an unintended address. */
const overFetch = (settings: Settings, call: Call) => <A, E>(self: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const { signal } = call
  const own = (settings.fetch ?? (globalThis as unknown as { readonly fetch: unknown }).fetch) as WebFetch
  const fetch: WebFetch = signal === undefined
    ? own
    : (input, init) => own(input, { ...init, signal: AbortSignal.any([init.signal, signal]) })
  return self.pipe(
    Effect.provideService(FetchHttpClient.Fetch, fetch as typeof FetchHttpClient.Fetch.Service),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )
}
type WebFetch = (input: unknown, init: { readonly signal: unknown }) => Promise<unknown>

type Trouble = HttpClientError.HttpClientError

const networkError = (settings: Settings, error: Trouble, response?: Answer): NetworkError | InputError => {
  const { reason } = error
  if (reason._tag === "InvalidUrlError" || reason._tag === "EncodeError") {
    return new InputError({ code: "invalid_request", message: "The request cannot be written down.", cause: error })
  }
  const what = response === undefined ? "could not be reached" : "broke off its answer"
  const why = deepest(reason.cause)
  return new NetworkError({
    code: "network_error",
    message: `${settings.baseUrl} ${what}${why === undefined ? "" : ` (${why})`}.`,
    ...response === undefined ? {} : { status: response.status },
    ...response?.headers["x-request-id"] === undefined ? {} : { request_id: response.headers["x-request-id"] },
    cause: error
  })
}

/** `fetch failed` explains nothing; its innermost cause does. */
const deepest = (cause: unknown): string | undefined => {
  let why: string | undefined
  for (let depth = 0, at = cause; at instanceof Error && depth < 5; depth++, at = at.cause) {
    const code = (at as { readonly code?: unknown }).code
    why = at.message !== "" ? at.message : typeof code === "string" ? code : why
  }
  return why
}
