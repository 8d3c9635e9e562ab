/** Notifications by the person's settings on a real hub: what is switched off is not shown, failed runs are if wanted. */
import { ConnectionLog } from "@countersign/desktop/main/connection-log/service"
import { AgentFork, Device, ScreenLock } from "@countersign/desktop/main/device/service"
import { Attention, AttentionPorts } from "@countersign/desktop/main/notices/attention"
import type { Notice } from "@countersign/desktop/main/notices/notice"
import { AppSettingsFile } from "@countersign/desktop/main/settings/service"
import { Waiting } from "@countersign/desktop/main/waiting/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { addSignedIn, keychainInTest, mainServices, temporaryFolder } from "../../support/desktop-main.ts"
import { until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"

const definition = {
  steps: [{
    label: "Fetch",
    type: "service_call",
    config: { service: "http", operation: "fetch", payload: { url: "https://example.com/" } }
  }],
  edges: []
}

layer(HubTest(), { excludeTestServices: true })("notifications of the desktop app", (it) => {
  it.effect("follow the person's settings on the hub: no pending approvals, but failed runs", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie, org } = hub.owner
      const post = (path: string, body: object, status = 201) =>
        Effect.map(hub.api("POST", path, { cookie, body }), (answer) => expectStatus(answer, status).body)
      expectStatus(
        yield* hub.api("PATCH", "/notification-settings", {
          cookie,
          body: { "approval.created": { desktop: false }, "run.failed": { desktop: true } }
        }),
        200
      )
      yield* topUp(hub, hub.owner, 1_000)
      const agent = yield* makeAgent(hub, hub.owner, {
        name: "Scout",
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const workflow = (yield* post("/workflows", { name: "Weekly report" })).id
      const version = (yield* post(`/workflows/${workflow}/versions`, definition)).id
      yield* post(`/workflows/${workflow}/agents`, { agent_id: agent.id })

      const folder = yield* temporaryFolder
      const shown: Array<{ readonly notice: Notice; readonly click: () => void }> = []
      const opened: Array<unknown> = []
      const ports = Layer.succeed(AttentionPorts, {
        screen: {
          show: (notice, click) => shown.push({ notice, click }),
          close: () => {},
          tryOut: async () => null,
          problem: () => null,
          subscribe: () => () => {}
        },
        acts: { open: (target) => opened.push(target), quit: () => {} }
      })
      const fork = Layer.succeed(AgentFork, () => {
        throw new Error("no agent is started here")
      })
      const lock = Layer.succeed(ScreenLock, async () => ({ locked: false, reported: true }))
      const services = Attention.layer(folder).pipe(
        Layer.provideMerge(Layer.mergeAll(Waiting.layer, Device.layer(folder), ConnectionLog.ofConnections)),
        Layer.provideMerge(
          Layer.mergeAll(ConnectionLog.layer(folder), AppSettingsFile.layer(folder), ports, fork, lock)
        ),
        Layer.provideMerge(mainServices(folder, keychainInTest()))
      )
      yield* Effect.gen(function*() {
        const attention = yield* Attention
        const profile = yield* addSignedIn(hub, hub.owner)
        expectStatus(
          yield* hub.api("POST", "/service-requests", {
            key: agent.key,
            body: { service: "echo", operation: "say", payload: {} }
          }),
          200
        )
        yield* until(Effect.sync(() => attention.tray()), ({ badge }) => badge === 1)
        const { run } = yield* post(`/workflows/${workflow}/runs`, { version_id: version, agent_id: agent.id }, 202)
        yield* until(Effect.sync(() => shown), ({ length }) => length > 0)
        const [{ click, notice }] = shown as [typeof shown[0]]
        assert.deepStrictEqual([notice.title, notice.keys.length], ["The workflow Weekly report failed", 1])
        assert.notInclude(JSON.stringify(notice), "example.com")
        click()
        const path = `/w/${org}/workflow-runs/${run.id}`
        assert.deepStrictEqual(opened, [{ kind: "screen", profile: profile.id, path }])
        assert.lengthOf(shown, 1, "the pending approval is in the tray only")
      }).pipe(Effect.provide(services))
    })))
})
