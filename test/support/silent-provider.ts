/** Two tenants of one hub: the provider of one never answers polls, the provider of the other answers at once. */
import { Effect, type Scope } from "effect"
import { expectStatus, type HubInTest, makeAgent, makeService, type OwnerInTest, topUp } from "./hub.ts"
import { makePerson, makeWorkspace } from "./people.ts"
import { httpUpstream } from "./upstream.ts"

/** The shortest interval that a service may declare. */
const intervalMillis = 1_000

export interface PolledService {
  readonly agent: { readonly id: string; readonly key: string }
  /** Starts this many requests, which run at the provider. */
  readonly start: (count: number, operation?: string) => Effect.Effect<ReadonlyArray<string>>
  /** Number of polls so far. */
  readonly polls: () => number
  /** Number of polls of the n-th job, from 1. */
  readonly pollsOf: (job: number) => number
  /** Number of unanswered polls. */
  readonly open: () => number
  readonly name: string
}

/** A service that is polled. `answer` returns the answer to the n-th poll of one job; undefined: no answer. */
export const makePolledService = Effect.fnUntraced(function*(
  hub: HubInTest,
  owner: Pick<OwnerInTest, "cookie">,
  answer: (poll: number) => object | undefined,
  { name = "polled", operations = ["run"], timeoutMillis = 30_000 }: {
    readonly name?: string
    readonly operations?: ReadonlyArray<string>
    readonly timeoutMillis?: number
  } = {}
): Effect.fn.Return<PolledService, never, Scope.Scope> {
  let [jobs, polls, open] = [0, 0, 0]
  const seen = new Map<string, number>()
  const upstream = yield* httpUpstream(({ method, url }, response) => {
    const json = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (method === "POST") return json(202, { id: `job${++jobs}` })
    polls++
    const count = (seen.get(url) ?? 0) + 1
    seen.set(url, count)
    const body = answer(count)
    if (body !== undefined) return json(200, body)
    open++
    response.once("close", () => open--)
  })
  yield* makeService(hub, owner, {
    name,
    kind: "http",
    base_url: upstream.origin,
    operations: operations.map((operation) => ({
      name: operation,
      method: "POST",
      path: `/${operation}`,
      payload_schema: { type: "object" },
      price: { type: "fixed", cents: 1 },
      timeout_ms: timeoutMillis,
      async: {
        mode: "poll",
        interval_ms: intervalMillis,
        path: "/jobs/${ref}",
        method: "GET",
        ref: "/id",
        status: "/state",
        executed: ["done"],
        failed: ["bad"]
      }
    }))
  })
  yield* topUp(hub, owner, 100_000)
  const agent = yield* makeAgent(hub, owner, { bindings: [{ service: name, operations: ["*"] }] })
  return {
    agent,
    name,
    polls: () => polls,
    pollsOf: (job) => seen.get(`/jobs/job${job}`) ?? 0,
    open: () => open,
    start: (count, operation = operations[0]) =>
      Effect.forEach(Array.from({ length: count }), () =>
        Effect.map(
          hub.api("POST", "/service-requests", { key: agent.key, body: { service: name, operation, payload: {} } }),
          (answered): string => expectStatus(answered, 202).body.id
        ), { concurrency: 16 })
  }
})

/** The owner of another workspace. */
export const makeTenant = (hub: HubInTest) => Effect.flatMap(makeWorkspace(hub), (org) => makePerson(hub, org, "owner"))
