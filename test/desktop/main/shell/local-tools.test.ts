/** Local tools of a chat in main, with a real hub; the agent process has its own tests. Spec: reference/desktop.md "Local tools". */
import type { LocalCall } from "@countersign/desktop/device/app-port"
import { Device, type DeviceShape } from "@countersign/desktop/main/device/service"
import { localToolMethods } from "@countersign/desktop/main/shell/local-tools"
import { Windows, type WindowsShape } from "@countersign/desktop/main/windows/windows"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  addProfile,
  keychainInTest,
  mainServices,
  phase,
  reaches,
  signInTo,
  temporaryFolder
} from "../../../support/desktop-main.ts"
import { until } from "../../../support/device-agent.ts"
import { expectStatus, HubTest, makeAgent, TestHub } from "../../../support/hub.ts"

layer(HubTest(), { excludeTestServices: true })("local tools of a chat", (it) => {
  it.effect("offers them for the connected hub only, runs what the hub says is pending, and sends results and denials together", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const as = { cookie: hub.owner.cookie }
      const folder = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const { id: profile } = yield* addProfile(hub)
        yield* reaches(profile, phase("signed_out"))
        yield* signInTo(profile, hub.owner)
        const calls: Array<LocalCall> = []
        let pairedWith = "https://another.test"
        const device = {
          host: {
            view: () => ({ phase: "online" }),
            runLocal: async (call: LocalCall) => {
              calls.push(call)
              return call.tool === "shell.run"
                ? { outcome: "denied", error: { code: "consent_denied", message: "A person was asked and said no" } }
                : { outcome: "succeeded", result: { content: "two paper boats" } }
            }
          },
          paired: () => ({ hub: pairedWith })
        } as unknown as DeviceShape
        const methods = yield* localToolMethods.pipe(
          Effect.provideService(Device, device),
          Effect.provideService(Windows, { profileOf: () => profile } as unknown as WindowsShape)
        )
        assert.deepStrictEqual(yield* Effect.promise(() => methods.localTools(undefined, 1)), [])
        pairedWith = hub.url
        const local_tools = yield* Effect.promise(() => methods.localTools(undefined, 1))
        assert.include(local_tools.map(({ name }) => name), "shell_run")

        const agent = yield* makeAgent(hub, hub.owner, { bindings: [{ service: "llm", operations: ["*"] }] })
        const chat = expectStatus(
          yield* hub.api("POST", "/chat/sessions", { ...as, body: { agent_id: agent.id, model: "offline/echo" } }),
          201
        ).body
        const message = [
          "#script",
          "local fs_read {\"path\":\"/srv/notes.txt\"}",
          "local shell_run {\"argv\":[\"rm\",\"-r\",\"/srv\"]}",
          "---",
          "say Done."
        ].join("\n")
        const begun = yield* hub.api("POST", "/chat/turn", {
          ...as,
          body: { session_id: chat.id, message, local_tools, background: true }
        })
        const turn = /trn_[0-9a-z]+/u.exec(begun.text)?.[0] ?? ""
        assert.include(begun.text, "pending_local_tools")
        const ask = { workspace: hub.owner.org, session: chat.id, turn: turn as Parameters<typeof answer>[0]["turn"] }
        const answer = methods.answerLocalTools
        assert.deepStrictEqual(yield* Effect.promise(() => answer(ask, 1)), { answered: 2 })
        assert.deepStrictEqual(calls.map(({ tool }) => tool), ["fs.read", "shell.run"])
        const done = yield* until(
          Effect.map(hub.api("GET", `/chat/sessions/${chat.id}`, as), ({ body }) => body.messages.data[0]),
          ({ role }) => role === "assistant"
        )
        const parts: ReadonlyArray<{ readonly type: string; readonly status?: string; readonly result?: unknown }> =
          done.parts
        assert.deepStrictEqual(parts.map(({ type }) => type), ["tool_call", "tool_call", "text"])
        assert.deepInclude(parts[0]?.result, { result: { content: "two paper boats" } })
        assert.deepInclude(parts[1]?.result, { denied: true, code: "consent_denied" })
        // An ended turn asks for nothing.
        assert.deepStrictEqual(yield* Effect.promise(() => answer(ask, 1)), { answered: 0 })
        pairedWith = "https://another.test"
        const refused = yield* Effect.result(
          Effect.tryPromise({ try: () => answer(ask, 1), catch: (error) => error as { readonly code: string } })
        )
        assert.isTrue(Result.isFailure(refused))
        assert.lengthOf(calls, 2)
      }).pipe(Effect.provide(mainServices(folder, keychainInTest())))
    }))
})
