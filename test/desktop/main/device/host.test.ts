/**
 * The agent as the app's child process with a real hub: consent on the screen, pause, panic stop, and kill. Spec:
 * reference/devices.md "Security rules".
 */
import type { LocalCall } from "@countersign/desktop/device/app-port"
import { exitCodes } from "@countersign/desktop/device/exits"
import { processesOf } from "@countersign/desktop/device/programs/process-tree"
import { approvalDelayMillis, makeConsent } from "@countersign/desktop/main/device/consent"
import { makeDeviceHost } from "@countersign/desktop/main/device/host"
import { logTail } from "@countersign/desktop/main/device/log-tail"
import { makePanic } from "@countersign/desktop/main/device/panic"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, forkedAgents, timers } from "../../../support/app-agent.ts"
import { paired, until } from "../../../support/device-agent.ts"
import {
  expectStatus,
  firstOwner,
  type HubInTest,
  HubTest,
  type OwnerInTest,
  startHub,
  TestHub
} from "../../../support/hub.ts"

layer(HubTest(), { excludeTestServices: true })("the agent inside the app", (it) => {
  const worldOf = Effect.fnUntraced(function*(hub: HubInTest & { readonly owner: OwnerInTest }) {
    const as = { cookie: hub.owner.cookie }
    const place = yield* paired(hub, hub.owner)
    // As in the app: the key is in the keychain only, not on the disk.
    const key = readFileSync(place.folder.file("device.key"), "utf8").trim()
    rmSync(place.folder.file("device.key"))
    const kept: { key: string | undefined } = { key }
    const agents = forkedAgents()
    const time = timers()
    const logged: Array<string> = []
    const log = (event: string) => void logged.push(event)
    const consent = makeConsent({ now: time.now, after: time.after, log })
    const make = () => {
      const host = makeDeviceHost({
        fork: agents.fork,
        folder: place.folder.path,
        consent,
        after,
        random: () => 0,
        log,
        keys: {
          read: async () => kept.key,
          forget: async () => {
            kept.key = undefined
          }
        }
      })
      return { host, panic: makePanic({ path: join(place.root, "..", "panic.json"), host, consent, log }) }
    }
    yield* Effect.addFinalizer(() => Effect.sync(agents.end))
    const device = Effect.map(hub.api("GET", `/devices/${place.id}`, as), (answer) => expectStatus(answer, 200).body)
    const get = (path: string) => Effect.map(hub.api("GET", path, as), (answer) => expectStatus(answer, 200).body)
    const online = Effect.map(
      until(device, ({ presence, session }) => presence === "online" && session !== undefined),
      ({ session }) => session.id as string
    )
    const queue = (session: string, argv: ReadonlyArray<string>) =>
      Effect.map(
        hub.api("POST", `/devices/sessions/${session}/commands`, {
          ...as,
          body: { tool: "shell.run", input: { argv }, timeout_seconds: 600 }
        }),
        (answer) => expectStatus(answer, 201).body.id as string
      )
    const status = (id: string) => get(`/devices/commands/${id}`)
    const asked = until(Effect.sync(() => consent.current()), (drawing) => drawing !== undefined)
    const yes = Effect.gen(function*() {
      const drawing = (yield* asked)!
      consent.drawn(drawing.question, drawing.digest)
      time.pass(approvalDelayMillis)
      consent.read(drawing.question, drawing.digest)
      assert.isUndefined(consent.allow(drawing.question, drawing.digest))
    })
    const end = (id: string) => until(status(id), ({ status }) => ["done", "cancelled", "expired"].includes(status))
    const asking = (rules: ReadonlyArray<object> = []) => place.rules(rules, { ask_via: "screen", sandbox: "off" })
    return {
      agents,
      as,
      asked,
      asking,
      consent,
      device,
      end,
      hub,
      kept,
      logged,
      make,
      online,
      place,
      queue,
      status,
      yes
    }
  })
  const world = Effect.flatMap(TestHub, worldOf)

  it.effect("D10: requires consent on the screen by the rules, reports it to the hub, and runs nothing before the approval", () =>
    Effect.gen(function*() {
      const { agents, asked, asking, consent, end, make, online, place, queue, status, yes } = yield* world
      asking()
      const { host } = make()
      yield* Effect.promise(() => host.start())
      const session = yield* online
      const id = yield* queue(session, [place.script("talk", "echo said")])
      const drawing = (yield* asked)!
      assert.include(drawing.lines.join("\n"), join(place.root, "talk"))
      const command = yield* until(status(id), ({ status }) => status === "awaiting_consent")
      // The device's own screen decides, so the hub creates no approval.
      assert.deepStrictEqual([command.plan_digest, command.approval_id], [drawing.digest, undefined])
      yield* yes
      assert.deepInclude(yield* end(id), { outcome: "succeeded", exit_code: 0 })
      assert.isUndefined(consent.current())
      yield* until(Effect.sync(() => host.view()), ({ running }) => running.length === 0)
      const lines = logTail(place.folder.path).join("\n")
      assert.include(lines, "command_ended")
      assert.notInclude(lines, "svc_device")
      yield* Effect.promise(() => host.stop())
      assert.deepStrictEqual([host.view().phase, agents.children.at(-1)!.exitCode], ["off", exitCodes.done])
    }))

  it.effect("D12: reads the rules again after the approval", () =>
    Effect.gen(function*() {
      const { asked, asking, end, make, online, place, queue, yes } = yield* world
      asking()
      const { host } = make()
      yield* Effect.promise(() => host.start())
      const id = yield* queue(yield* online, [place.script("talk", `touch ${join(place.root, "touched")}`)])
      yield* asked
      asking([{ effect: "deny", tool: "shell.run" }])
      yield* yes
      const ended = yield* end(id)
      assert.deepStrictEqual([ended.outcome, ended.error.code], ["denied", "denied_by_rule"])
      assert.isFalse(existsSync(join(place.root, "touched")))
    }))

  it.effect("D10: drops the question of an agent that dies, restarts the agent, and has not run the command", () =>
    Effect.gen(function*() {
      const { agents, asked, asking, consent, end, logged, make, online, place, queue, yes } = yield* world
      asking()
      const { host } = make()
      yield* Effect.promise(() => host.start())
      yield* queue(yield* online, [place.script("touch-it", `touch ${join(place.root, "touched")}`)])
      const first = (yield* asked)!
      agents.children[0]!.kill("SIGKILL")
      yield* until(Effect.sync(() => logged), (events) => events.includes("agent_ended"))
      assert.strictEqual(consent.allow(first.question, first.digest), "other_question")
      yield* until(Effect.sync(() => host.view()), ({ phase }) => phase === "online")
      assert.lengthOf(agents.children, 2)
      // The new agent does not resume the old question; it requires consent for the next command and runs it.
      const id = yield* queue(yield* online, [place.script("talk", "echo said")])
      yield* yes
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.isFalse(existsSync(join(place.root, "touched")))
    }))

  it.effect("receives one stop when turned off during a quit, and lets running commands finish", () =>
    Effect.gen(function*() {
      const { agents, asking, end, make, online, place, queue } = yield* world
      const [begun, go] = [join(place.root, "begun"), join(place.root, "go")]
      const build = place.script(
        "build",
        `touch ${begun}; while [ ! -e ${go} ]; do sleep 0.05; done; sleep 1; echo built`
      )
      asking([{ effect: "allow", tool: "shell.run", argv: [build] }])
      const { host } = make()
      yield* Effect.promise(() => host.start())
      const id = yield* queue(yield* online, [build])
      yield* until(Effect.sync(() => existsSync(begun)), (there) => there)
      const off = host.stop()
      yield* until(Effect.sync(() => host.view()), ({ phase }) => phase === "ending")
      // As at a computer's shutdown: the app quits, and each of its processes receives a signal.
      const quit = host.stop()
      agents.children[0]!.kill("SIGTERM")
      writeFileSync(go, "")
      yield* Effect.promise(() => Promise.all([off, quit]))
      assert.deepStrictEqual([host.view().phase, agents.children[0]!.exitCode], ["off", exitCodes.done])
      yield* Effect.promise(() => host.start())
      assert.deepInclude(yield* end(id), { outcome: "succeeded", exit_code: 0 })
      yield* Effect.promise(() => host.stop())
    }))

  it.effect("accepts no commands while paused and reports it; continues after a start", () =>
    Effect.gen(function*() {
      const { asking, device, end, make, online, place, queue, status, yes } = yield* world
      asking()
      const { host } = make()
      yield* Effect.promise(() => host.start())
      const session = yield* online
      host.pause(Date.now() + 3_600_000)
      yield* until(device, ({ paused_by, state }) => state === "paused" && paused_by === "device")
      assert.strictEqual(host.view().phase, "paused")
      const id = yield* queue(session, [place.script("talk", "echo said")])
      yield* Effect.promise(() => host.start())
      yield* until(device, ({ state }) => state === "active")
      yield* yes
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.strictEqual((yield* status(id)).status, "done")
    }))

  it.effect("panic stop kills running trees, denies questions, reports to the hub, and survives a restart of the app", () =>
    Effect.gen(function*() {
      const { as, asked, asking, consent, device, end, hub, make, online, place, queue, status } = yield* world
      const tree = place.script(
        "tree",
        `sh -c 'trap "" INT TERM; echo $$ > ${join(place.root, "child")}; while :; do sleep 0.1; done'`
      )
      asking([{ effect: "allow", tool: "shell.run", argv: [tree] }])
      const before = make()
      yield* Effect.promise(() => before.host.start())
      const session = yield* online
      const id = yield* queue(session, [tree])
      yield* until(Effect.sync(() => existsSync(join(place.root, "child"))), (there) => there)
      assert.isNotEmpty(processesOf(id, undefined))
      // In another directory, since each directory runs one command at a time.
      const elsewhere = expectStatus(
        yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
          ...as,
          body: { tool: "system.info", input: {} }
        }),
        201
      ).body.id
      yield* asked
      yield* Effect.promise(() => before.panic.stop("tray"))
      assert.isEmpty(processesOf(id, undefined))
      assert.isUndefined(consent.current())
      assert.strictEqual((yield* end(id)).outcome, "interrupted")
      assert.notStrictEqual((yield* end(elsewhere)).outcome, "succeeded")
      yield* until(device, ({ paused_by, state }) => state === "paused" && paused_by === "device")
      assert.strictEqual(before.host.view().phase, "stopped")
      yield* Effect.promise(() => before.host.stop())

      const next = make()
      assert.isTrue(next.panic.state().stopped)
      yield* Effect.promise(() => next.host.start())
      yield* until(device, ({ presence, state }) => presence === "online" && state === "paused")
      assert.strictEqual(next.host.view().phase, "stopped")
      yield* Effect.promise(() => next.panic.resume())
      yield* until(device, ({ presence, state }) => presence === "online" && state === "active")
      assert.strictEqual((yield* status(id)).outcome, "interrupted")
      assert.isFalse(make().panic.state().stopped)
      yield* Effect.promise(() => next.host.stop())
    }))

  it.effect("a repeated panic stop has no effect and kills no stopped agent; a paused agent stays paused after it", () =>
    Effect.gen(function*() {
      const { agents, asking, device, logged, make, online } = yield* world
      asking()
      const { host, panic } = make()
      yield* Effect.promise(() => host.start())
      yield* online
      const ends = Date.now() + 3_600_000
      host.pause(ends)
      yield* Effect.promise(() => Promise.all([panic.stop("tray"), panic.stop("shortcut")]))
      yield* Effect.promise(() => panic.stop("console"))
      assert.strictEqual(host.view().phase, "stopped")
      assert.notInclude(logged, "agent_killed")
      assert.lengthOf(agents.children, 1)
      yield* Effect.promise(() => panic.resume())
      yield* until(Effect.sync(() => agents.children), ({ length }) => length === 2)
      yield* until(device, ({ paused_by, presence }) => presence === "online" && paused_by === "device")
      assert.deepInclude(host.view(), { phase: "paused", pausedUntil: ends })
      yield* Effect.promise(() => host.stop())
    }))

  it.effect("panic stop kills a hanging agent with its process trees", () =>
    Effect.gen(function*() {
      const { agents, asking, logged, make, online, place, queue } = yield* world
      const tree = place.script("tree", `echo $$ > ${join(place.root, "child")}; while :; do sleep 0.1; done`)
      asking([{ effect: "allow", tool: "shell.run", argv: [tree] }])
      const { host, panic } = make()
      yield* Effect.promise(() => host.start())
      const id = yield* queue(yield* online, [tree])
      yield* until(Effect.sync(() => existsSync(join(place.root, "child"))), (there) => there)
      assert.isNotEmpty(processesOf(id, undefined))
      agents.children[0]!.kill("SIGSTOP")
      yield* Effect.promise(() => panic.stop("shortcut"))
      assert.isEmpty(processesOf(id, undefined))
      assert.include(logged, "agent_killed")
      assert.strictEqual(host.view().phase, "stopped")
      yield* Effect.promise(() => host.stop())
    }))

  it.effect("panic stop kills running commands without a hub", () =>
    Effect.gen(function*() {
      const hub = yield* startHub()
      const { asking, make, online, place, queue } = yield* worldOf({ ...hub, owner: yield* firstOwner(hub) })
      const tree = place.script("tree", `echo $$ > ${join(place.root, "child")}; while :; do sleep 0.1; done`)
      asking([{ effect: "allow", tool: "shell.run", argv: [tree] }])
      const { host, panic } = make()
      yield* Effect.promise(() => host.start())
      const id = yield* queue(yield* online, [tree])
      yield* until(Effect.sync(() => existsSync(join(place.root, "child"))), (there) => there)
      yield* hub.stop
      yield* until(Effect.sync(() => host.view()), ({ phase }) => phase === "offline")
      assert.isNotEmpty(processesOf(id, undefined))
      yield* Effect.promise(() => panic.stop("shortcut"))
      assert.isEmpty(processesOf(id, undefined))
      assert.isTrue(make().panic.state().stopped)
      yield* Effect.promise(() => host.stop())
    }))

  it.effect("reports replacement by another copy without a command line, stays replaced over restarts, and is reactivated by a person", () =>
    Effect.gen(function*() {
      const { asking, device, hub, kept, make, place } = yield* world
      asking()
      const { host } = make()
      yield* Effect.promise(() => host.start())
      yield* until(Effect.sync(() => host.view()), ({ phase }) => phase === "online")
      const other = { status: "online", instance_id: "copied", boot_id: "another" }
      expectStatus(yield* hub.api("POST", `/devices/${place.id}/heartbeat`, { key: kept.key!, body: other }), 200)
      yield* until(Effect.sync(() => host.view()), ({ failure }) => failure === "superseded")
      const next = make().host
      yield* Effect.promise(() => next.start())
      yield* until(Effect.sync(() => next.view()), ({ failure }) => failure === "superseded")
      assert.strictEqual(next.view().reason, "Another copy of this device took over")
      yield* Effect.promise(() => next.start({ takeOver: true }))
      yield* until(Effect.sync(() => next.view()), ({ phase }) => phase === "online")
      yield* until(device, ({ presence }) => presence === "online")
      yield* Effect.promise(() => next.stop())
    }))

  it.effect("reports a missing key and does not start; deletes the key of a revoked device", () =>
    Effect.gen(function*() {
      const { agents, as, asking, hub, kept, make, online, place } = yield* world
      asking()
      const key = kept.key
      kept.key = undefined
      const { host } = make()
      yield* Effect.promise(() => host.start())
      assert.deepInclude(host.view(), { phase: "failed", failure: "no_key" })
      assert.isEmpty(agents.children)
      kept.key = key
      yield* Effect.promise(() => host.start())
      yield* online
      expectStatus(yield* hub.api("PATCH", `/devices/${place.id}`, { ...as, body: { state: "revoked" } }), 200)
      yield* until(Effect.sync(() => host.view()), ({ phase }) => phase === "failed")
      assert.deepStrictEqual([host.view().failure, kept.key], ["revoked", undefined])
    }))

  it.effect("runs local tools of a chat by the rules and consent of the device, once, and denies them while it is paused", () =>
    Effect.gen(function*() {
      const { asking, make, online, place, yes } = yield* world
      const file = join(place.root, "ran")
      const script = place.script("once.sh", `echo ran >> ${file}; echo "out $1"`)
      asking([{ effect: "deny", tool: "fs.read" }])
      const { host } = make()
      yield* Effect.promise(() => host.start())
      yield* online
      const call = (digit: string, tool: "shell.run" | "fs.read", input: LocalCall["input"]): LocalCall => ({
        call: `local_${digit.repeat(32)}`,
        tool,
        input,
        requested_by: { type: "chat", id: "cht_1", name: "The chat" },
        timeout_seconds: 30
      })
      const allowed = call("a", "shell.run", { argv: [script, "1"] })
      const first = yield* Effect.forkChild(Effect.promise(() => host.runLocal(allowed)))
      assert.isFalse(existsSync(file))
      yield* yes
      const ending = yield* Fiber.join(first)
      assert.strictEqual(ending.outcome, "succeeded", JSON.stringify(ending))
      assert.deepInclude(ending.result, { stdout: "out 1\n" })
      assert.deepStrictEqual(yield* Effect.promise(() => host.runLocal(allowed)), ending)
      assert.strictEqual(readFileSync(file, "utf8"), "ran\n")
      const denied = yield* Effect.promise(() => host.runLocal(call("b", "fs.read", { path: file })))
      assert.deepInclude(denied, { outcome: "denied" })
      assert.strictEqual(denied.error?.code, "denied_by_rule")
      host.pause()
      const paused = yield* Effect.promise(() => host.runLocal(call("c", "fs.read", { path: file })))
      assert.deepInclude(paused, { outcome: "denied" })
      yield* Effect.promise(() => host.stop())
    }))
})
