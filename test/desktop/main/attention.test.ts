/** The tray's model, one notification, and the effect of a click, with the composed services and a real hub. */
import type { UpdateState } from "@countersign/desktop/bridge/this-computer"
import { ConnectionLog } from "@countersign/desktop/main/connection-log/service"
import { AgentFork, Device, ScreenLock } from "@countersign/desktop/main/device/service"
import { beginPresence } from "@countersign/desktop/main/electron/presence"
import { Connections } from "@countersign/desktop/main/hub/port"
import { Attention, AttentionPorts } from "@countersign/desktop/main/notices/attention"
import type { Notice } from "@countersign/desktop/main/notices/notice"
import { SecretStore } from "@countersign/desktop/main/secrets/secret-store"
import { AppSettingsFile } from "@countersign/desktop/main/settings/service"
import { Waiting } from "@countersign/desktop/main/waiting/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { addSignedIn, keychainInTest, mainServices, temporaryFolder } from "../../support/desktop-main.ts"
import { until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"

layer(HubTest(), { excludeTestServices: true })("attention outside the window", (it) => {
  it.effect("counts and notifies a request once, opens its row, and removes it when another person decides", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      yield* topUp(hub, hub.owner, 1_000)
      const agent = yield* makeAgent(hub, hub.owner, {
        name: "Scout",
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const folder = yield* temporaryFolder
      const shown: Array<{ readonly notice: Notice; readonly click: () => void }> = []
      const closed: Array<string> = []
      const opened: Array<unknown> = []
      const ports = Layer.succeed(AttentionPorts, {
        screen: {
          show: (notice, click) => shown.push({ notice, click }),
          close: (keys) => closed.push(...keys),
          tryOut: async () => null,
          problem: () => null,
          subscribe: () => () => {}
        },
        acts: { open: (target) => opened.push(target), quit: () => opened.push("quit") }
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
        const log = yield* ConnectionLog
        const recorded: Array<unknown> = []
        const image = (): never =>
          ({
            crop: image,
            toPNG: () => Buffer.alloc(0),
            addRepresentation: () => {},
            setTemplateImage: () => {}
          }) as never
        const listeners = new Map<string, () => void>()
        let update: UpdateState = { phase: "idle" }
        const drawn: Array<(state: UpdateState) => void> = []
        const updates = {
          state: () => update,
          install: () => recorded.push("install") > 0 ? "installing" as const : "not_ready" as const,
          subscribe: (listener: (state: UpdateState) => void) => {
            drawn.push(listener)
            return () => {}
          }
        }
        let menu: ReadonlyArray<{ readonly label?: string; readonly enabled?: boolean; readonly click?: () => void }> =
          []
        let has = false
        let refuses = false
        const presence = beginPresence({
          tray: {
            platform: "linux",
            resources: "/res",
            nativeImage: { createFromPath: image },
            buildMenu: (items) => items,
            setBadgeCount: (count) => recorded.push(count),
            newTray: () => ({
              setImage: () => {},
              setToolTip: () => {},
              setTitle: () => {},
              setContextMenu: (items: unknown) => {
                menu = items as typeof menu
              },
              on: () => {},
              destroy: () => recorded.push("destroyed")
            })
          },
          shortcuts: {
            register: (accelerator) => recorded.push(accelerator) > 0,
            unregisterAll: () => {},
            platform: "linux",
            environment: {}
          },
          power: {
            on: (event, listener) => listeners.set(event, listener),
            isOnline: () => true,
            network: () => "",
            every: () => () => {}
          },
          setAutostart: (on, hidden) => {
            if (refuses) throw new Error("EROFS")
            has = on
            recorded.push(["autostart", on, hidden])
          },
          hasAutostart: () => has
        }, {
          attention,
          device: yield* Device,
          settings: yield* AppSettingsFile,
          log,
          connections: yield* Connections,
          updates,
          secrets: yield* SecretStore
        })
        assert.isTrue(presence.hasTray)

        const profile = yield* addSignedIn(hub, hub.owner)
        const id = expectStatus(
          yield* hub.api("POST", "/service-requests", {
            key: agent.key,
            body: { service: "echo", operation: "say", payload: { secret: "hunter2" } }
          }),
          200
        ).body.approval_id
        yield* until(Effect.sync(() => attention.tray()), ({ badge }) => badge === 1)
        yield* until(Effect.sync(() => shown), ({ length }) => length === 1)
        assert.deepStrictEqual(shown[0]!.notice.keys, [`${profile.hub_id} ${id}`])
        assert.notInclude(JSON.stringify([shown[0]!.notice, attention.tray()]), "hunter2")
        shown[0]!.click()
        const target = { kind: "approval", profile: profile.id, workspace: hub.owner.org, id }
        assert.deepStrictEqual(opened, [target])
        const entry = attention.tray().menu.find((each) => each.kind === "act" && each.act.kind === "open_approval")
        assert.strictEqual(entry?.kind, "act")
        if (entry?.kind === "act") attention.act(entry.act)
        assert.deepStrictEqual(opened, [target, target])

        expectStatus(yield* hub.api("POST", `/approvals/${id}/reject`, { cookie }), 200)
        yield* until(Effect.sync(() => attention.tray()), ({ badge }) => badge === 0)
        assert.deepStrictEqual(closed, shown[0]!.notice.keys)
        assert.deepStrictEqual(recorded.filter((each) => typeof each === "number"), [0, 1, 0])

        // An agent request, which opens in the inbox.
        const question = expectStatus(
          yield* hub.api("POST", "/agent-requests", {
            key: agent.key,
            body: { kind: "question", title: "Which color?", body: "hunter2" }
          }),
          201
        ).body.id
        yield* until(Effect.sync(() => shown), ({ length }) => length === 2)
        assert.deepInclude(shown[1]!.notice, { title: "Scout has a question", body: "Hub" })
        assert.strictEqual(attention.tray().badge, 1)
        shown[1]!.click()
        const row = { kind: "inbox_row", profile: profile.id, workspace: hub.owner.org, id: question }
        assert.deepStrictEqual(opened.slice(2), [row])
        attention.act({ ...row, kind: "open_inbox_row" } as const)
        assert.deepStrictEqual(opened.slice(2), [row, row])
        expectStatus(
          yield* hub.api("PATCH", `/agent-requests/${question}`, { cookie, body: { status: "dismissed" } }),
          200
        )
        yield* until(Effect.sync(() => attention.tray()), ({ badge }) => badge === 0)
        assert.deepStrictEqual(closed.slice(1), [`${profile.hub_id} ${question}`])

        // A ready update is the row above the window's and Quit; when its installation is requested while a command
        // runs, the row shows what it waits for.
        update = { phase: "ready", version: "0.3.0", waits: false }
        drawn.forEach((draw) => draw(update))
        assert.deepStrictEqual(menu.slice(-3).map(({ label }) => label), [
          "Update ready: install version 0.3.0",
          "Open Countersign",
          "Quit"
        ])
        menu.at(-3)!.click!()
        assert.include(recorded, "install")
        update = { phase: "ready", version: "0.3.0", waits: true }
        drawn.forEach((draw) => draw(update))
        assert.deepInclude(menu.at(-3), { label: "Version 0.3.0 is installed once nothing runs here", enabled: false })

        const settings = yield* AppSettingsFile
        settings.change({ autostart: true, shortcut: "Control+Shift+K" })
        assert.includeDeepMembers(recorded, ["Control+Shift+K", ["autostart", true, false]])
        assert.deepStrictEqual(presence.shortcuts(), { open: "works", panic: "off" })
        // The entry was removed in the system's settings, or its folder cannot be written.
        assert.deepStrictEqual(presence.autostart(), { kind: "works" })
        has = false
        assert.deepStrictEqual(presence.autostart(), { kind: "gone" })
        refuses = true
        settings.change({ start_hidden: true })
        assert.deepStrictEqual(presence.autostart(), { kind: "failed", problem: "EROFS" })
        refuses = false
        settings.change({ autostart: false })
        assert.deepStrictEqual(presence.autostart(), { kind: "off" })
        attention.act({ kind: "panic" })
        assert.strictEqual(attention.tray().picture.kind, "stopped")
        listeners.get("resume")!()
        assert.includeMembers(log.entries().map(({ event }) => event), [
          "app_started",
          "signed_out",
          "connected",
          "device_panic_stop",
          "resumed"
        ])
        presence.end()
        assert.include(recorded, "destroyed")
      }).pipe(Effect.provide(services))
    })))
})
