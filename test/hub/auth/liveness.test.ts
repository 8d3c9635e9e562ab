/** Open calls end with the right behind them: followed output, event streams, and polls with `?wait=`. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { deviceOf, makeDevice } from "../../support/device.ts"
import { type Api, type Call, expectStatus, HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { makeSignedIn } from "../../support/people.ts"

layer(HubTest(), { excludeTestServices: true })("an open call", (it) => {
  /** A command that is running on its device. */
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const as = { cookie: owner.cookie }
    const device = yield* makeDevice(hub, owner)
    const { body: { session_id } } = expectStatus(yield* device.heartbeat(), 200)
    const { id } = expectStatus(
      yield* api("POST", `/devices/sessions/${session_id}/commands`, {
        ...as,
        body: { tool: "shell.run", input: { argv: ["sleep"] }, timeout_seconds: 600 }
      }),
      201
    ).body
    yield* device.call("GET", `/devices/sessions/${session_id}/commands`)
    expectStatus(yield* device.call("POST", `/devices/commands/${id}/ack`, { lease: 1 }), 200)
    /** Reads the output to its end; returns the text. */
    const follow = (call: Call) =>
      Effect.gen(function*() {
        const begun = Promise.withResolvers<void>()
        const text = Effect.promise(async (signal) => {
          const response = await fetch(`${hub.url}/api/v1/devices/commands/${id}/output`, {
            signal,
            headers: {
              accept: "text/event-stream",
              ...call.cookie === undefined ? {} : { cookie: call.cookie },
              ...call.pat === undefined ? {} : { authorization: `Bearer ${call.pat}` },
              ...call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }
            }
          })
          if (response.status !== 200) throw new Error(`not followed: ${response.status}`)
          let text = ""
          for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
            text += chunk
            begun.resolve()
          }
          return text
        })
        const fiber = yield* Effect.forkChild(text)
        yield* Effect.promise(() => begun.promise)
        return fiber
      })
    const endsWithoutCommand = (fiber: Fiber.Fiber<string>) =>
      Effect.map(Fiber.join(fiber), (text) => assert.notInclude(text, "event: command"))
    return { ...hub, hub, as, device, command: id as string, follow, endsWithoutCommand }
  })
  const signedIn = ({ api }: { readonly api: Api }, email: string, password: string) =>
    Effect.map(
      api("POST", "/auth/login", { body: { email, password } }),
      (answer) => expectStatus(answer, 200).headers.getSetCookie()[0]!.split(";")[0]!
    )

  it.effect("with followed output ends when its session is revoked, and other calls continue to the end of the command", () =>
    Effect.gen(function*() {
      const { api, as, command, device, endsWithoutCommand, follow, hub, owner } = yield* world
      const cookie = yield* signedIn(hub, owner.email, owner.password)
      const [staying, leaving] = [yield* follow(as), yield* follow({ cookie })]
      expectStatus(yield* api("POST", "/auth/logout", { cookie }), 204)
      yield* endsWithoutCommand(leaving)
      expectStatus(
        yield* device.call("POST", `/devices/commands/${command}/done`, {
          lease: 1,
          outcome: "succeeded",
          exit_code: 0
        }),
        200
      )
      assert.include(yield* Fiber.join(staying), "event: command")
    }))

  it.effect("with followed output ends when its token is revoked or disabled", () =>
    Effect.gen(function*() {
      const { api, as, endsWithoutCommand, follow, hub, owner } = yield* world
      const ids = Effect.map(api("GET", "/tokens", as), ({ body }) =>
        (body.data as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id))
      const before = yield* ids
      const [first, second] = [
        yield* makeToken(hub, owner, ["devices:read", "audit:read"]),
        yield* makeToken(hub, owner, ["devices:read"])
      ]
      const [newer, older] = (yield* ids).filter((id) =>
        !before.includes(id)
      )
      const [disabled, revoked] = [yield* follow({ pat: first }), yield* follow({ pat: second })]
      expectStatus(yield* api("PATCH", `/tokens/${older}`, { ...as, body: { enabled: false } }), 200)
      expectStatus(yield* api("DELETE", `/tokens/${newer}`, as), 204)
      yield* endsWithoutCommand(disabled)
      yield* endsWithoutCommand(revoked)
    }))

  it.effect("with followed output ends when its person leaves the workspace or gets another role", () =>
    Effect.gen(function*() {
      const { api, as, endsWithoutCommand, follow, hub, owner } = yield* world
      const people = [
        yield* makeSignedIn(hub, owner.org, "admin"),
        yield* makeSignedIn(hub, owner.org, "admin")
      ] as const
      const streams = [
        yield* follow({ cookie: people[0].cookie }),
        yield* follow({ cookie: people[1].cookie })
      ] as const
      expectStatus(yield* api("DELETE", `/members/${people[0].id}`, as), 204)
      expectStatus(yield* api("PATCH", `/members/${people[1].id}`, { ...as, body: { role: "viewer" } }), 200)
      yield* endsWithoutCommand(streams[0])
      yield* endsWithoutCommand(streams[1])
    }))

  it.effect("with followed output of a device's own key ends when the device is revoked", () =>
    Effect.gen(function*() {
      const { api, as, device, follow } = yield* world
      const fiber = yield* follow({ key: deviceOf({ api }, device.id, device.key).key })
      expectStatus(yield* api("DELETE", `/devices/${device.id}`, as), 204)
      yield* Fiber.join(fiber)
    }))

  it.effect("polling a request answers 401 when its agent key ends", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner } = yield* world
      yield* topUp(hub, owner, 100)
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const { id } = expectStatus(
        yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: { text: "x" } }
        }),
        200
      ).body
      const waiting = yield* Effect.forkChild(api("GET", `/service-requests/${id}?wait=30`, { key: agent.key }))
      expectStatus(yield* api("PATCH", `/agents/${agent.id}/key`, { ...as, body: { grace_seconds: 0 } }), 200)
      const answer = yield* Fiber.join(waiting)
      assert.deepStrictEqual([answer.status, answer.body.error.code], [401, "unauthorized"])
    }))
})
