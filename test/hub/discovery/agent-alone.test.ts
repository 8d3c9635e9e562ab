/**
 * An agent that has only its key and the address of `GET /agent-docs`: it finds the endpoint, the headers, the body,
 * the expected outcome, and the next step in the document alone. The test reads only field names of the document.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"
import { closedPort } from "../../support/upstream.ts"

// eslint-disable-next-line typescript/no-explicit-any
type Document = any

interface Answered {
  readonly status: number
  readonly body: Document
}

const call = (method: string, url: string, headers: Readonly<Record<string, string>>, body?: unknown) =>
  Effect.promise(async (): Promise<Answered> => {
    const response = await fetch(url, { method, headers, ...body === undefined ? {} : { body: JSON.stringify(body) } })
    return { status: response.status, body: await response.json() as Document }
  })

/** A client that only fills in the blanks of the document. */
const readerOf = (document: Document, key: string) => {
  const { after, how_to_request: how, operations, outcomes } = document
  const headersOf = (): Record<string, string> =>
    Object.fromEntries(
      Object.entries(how.headers as Record<string, string>).map((
        [name, text]
      ) => [name, text.includes("UUID") ? randomUUID() : text.replace("<your agent key>", key)])
    )
  const fill = (operation: Document) => ({
    service: operation.service,
    operation: operation.operation,
    example_payload: operation.example_payload
  } as Readonly<Record<string, unknown>>)
  const bodyOf = (operation: Document) =>
    Object.fromEntries(
      Object.entries(how.body as Record<string, string>).map((
        [name, text]
      ) => [name, fill(operation)[/<(\w+)/u.exec(text)?.[1] ?? ""]])
    )
  const urlOf = (template: string, answer: Document) => template.replace("<links.self>", answer.links.self)
  const costMost = (operation: Document): number => operation.price.cents
  return {
    /** The outcome that the document predicts for an operation. */
    expected: (operation: Document): string =>
      operation.remaining !== undefined && operation.remaining.month_cents < costMost(operation)
        ? "blocked"
        : costMost(operation) > operation.approval_above_cents
        ? "approval_required"
        : "executed",
    operations: operations as ReadonlyArray<Document>,
    request: (operation: Document) => call(how.method, how.url, headersOf(), bodyOf(operation)),
    estimate: (operation: Document) => {
      const [method = "", path = ""] = (how.try_first as string).split(" ")
      return call(method, new URL(path, how.url).href, headersOf(), bodyOf(operation))
    },
    next: (answer: Document): string => outcomes[answer.status].next,
    shouldPoll: (answer: Document): boolean => after.poll.while.includes(answer.status),
    poll: (answer: Document) =>
      call(after.poll.method, urlOf(after.poll.url, answer), { authorization: headersOf()["authorization"] ?? "" }),
    cancel: (answer: Document) =>
      call(after.cancel.method, urlOf(after.cancel.url, answer), { authorization: headersOf()["authorization"] ?? "" }),
    aboutBlock: (answer: Document): string => after.next_action[answer.block.next_action.kind],
    httpStatus: (answer: Document): number => outcomes[answer.status].http_status,
    sample: (status: string): Document => outcomes[status].sample
  }
}

const operation = (name: string, cents: number) => ({
  name,
  method: "POST",
  path: `/${name}`,
  description: `Does ${name} for somebody`,
  price: { type: "fixed", cents },
  test: { result: { done: true } },
  payload_schema: {
    type: "object",
    required: ["to", "count"],
    additionalProperties: false,
    properties: {
      to: { type: "string", minLength: 3 },
      count: { type: "integer", minimum: 1 },
      note: { type: "string" }
    }
  }
})

/** Its public URL names the port that it listens on, as the document's addresses do. */
const HubWithUrl = Layer.unwrap(Effect.map(closedPort, (port) => HubTest({ env: { HUB_PORT: String(port) } })))

layer(HubWithUrl, { excludeTestServices: true })("an agent that has only its document", (it) => {
  let made = 0
  const begin = Effect.gen(function*() {
    const service = `errands${++made}`
    const hub = yield* TestHub
    const { api, owner } = hub
    yield* topUp(hub, owner, 5_000)
    yield* makeService(hub, owner, {
      name: service,
      kind: "http",
      base_url: "https://errands.example",
      operations: [operation("small", 5), operation("large", 400), operation("capped", 60), operation("other", 7)]
    })
    const caps = { large: { approval_threshold_cents: 300 }, capped: { monthly_cap_cents: 50 } }
    const agent = yield* makeAgent(hub, owner, {
      mode: "test",
      bindings: [{ service: "echo", operations: ["*"] }, { service, operations: ["*"], per_operation: caps }]
    })
    const answer = expectStatus(yield* api("GET", "/agent-docs", { key: agent.key }), 200)
    return { ...hub, agent, size: Buffer.byteLength(answer.text), reader: readerOf(answer.body, agent.key) }
  })

  it.effect("gets an executed, a pending, and a refused call, and reports the next step of each", () =>
    Effect.gen(function*() {
      const { api, owner, reader, size } = yield* begin
      assert.lengthOf(reader.operations, 5)
      assert.isAtMost(size, 8 * 1024)
      const met = new Map<string, Document>()
      for (const one of reader.operations) {
        const estimate = yield* reader.estimate(one)
        const { body, status } = yield* reader.request(one)
        // As the document and the estimate predicted.
        assert.deepStrictEqual(
          [estimate.body.status, body.status],
          [reader.expected(one), reader.expected(one)],
          JSON.stringify(one)
        )
        assert.strictEqual(status, reader.httpStatus(body))
        for (const field of Object.keys(reader.sample(body.status))) assert.property(body, field)
        met.set(body.status, body)
      }
      assert.sameMembers([...met.keys()], ["executed", "approval_required", "blocked"])

      const executed = met.get("executed")
      assert.isFalse(reader.shouldPoll(executed))
      assert.include(reader.next(executed), "result")
      assert.isDefined(executed.result)

      const blocked = met.get("blocked")
      assert.isFalse(reader.shouldPoll(blocked))
      assert.include(reader.next(blocked), "block.next_action")
      assert.match(
        reader.aboutBlock(blocked),
        /Ask for a higher cap: POST \/budget-requests .* or wait until block\.resets_at/
      )
      assert.isDefined(blocked.block.resets_at)

      // The pending one continues once a person approves: the agent only polls.
      const pending = met.get("approval_required")
      assert.isTrue(reader.shouldPoll(pending))
      assert.include(reader.next(pending), "Do not send it again")
      const polling = yield* Effect.forkChild(reader.poll(pending))
      expectStatus(
        yield* api("POST", `/approvals/${pending.approval_id}/approve`, { cookie: owner.cookie, body: {} }),
        200
      )
      const { body: ended } = yield* Fiber.join(polling)
      assert.deepStrictEqual([ended.status, reader.shouldPoll(ended)], ["executed", false])
    }))

  it.effect("reads from an error which field is wrong, and cancels a request that it no longer needs", () =>
    Effect.gen(function*() {
      const { reader } = yield* begin
      const wrong = yield* reader.request({
        ...reader.operations.find((one) => one.operation === "small"),
        example_payload: { to: "me" }
      })
      assert.strictEqual(wrong.status, 400)
      assert.deepStrictEqual(wrong.body.error.details, [{ path: "payload.count", message: "This is required." }, {
        path: "payload.to",
        message: "This must have at least 3 characters."
      }])
      const pending = reader.operations.find((one) => reader.expected(one) === "approval_required")
      const { body } = yield* reader.request(pending)
      const { body: cancelled } = yield* reader.cancel(body)
      assert.strictEqual(cancelled.status, "blocked")
      assert.include(reader.aboutBlock(cancelled), "No step can unblock it")
    }))
})
