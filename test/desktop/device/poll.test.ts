/**
 * The agent where no socket connects: the long poll with the same behavior, and switches between the two. Spec:
 * reference/devices.md "Long poll", "Agent reconnects".
 */
import { trackControls } from "@countersign/desktop/device/poll"
import { processesOf } from "@countersign/desktop/device/programs/process-tree"
import { assert, describe, it as pure, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type AgentAtWork, atWork, paired, until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"
import { upgradeProxy, type Upgrades } from "../../support/upgrade-proxy.ts"

const allow = (...argv: ReadonlyArray<string>) => ({ effect: "allow", tool: "shell.run", argv })

layer(HubTest(), { excludeTestServices: true })("the device agent without a socket", (it) => {
  const world = Effect.fnUntraced(function*(upgrades: Upgrades) {
    const hub = yield* TestHub
    const proxy = yield* upgradeProxy(hub.url)
    proxy.upgrades = upgrades
    const place = yield* paired({ api: hub.api, url: proxy.url }, hub.owner)
    const as = { cookie: hub.owner.cookie }
    const queue = (session: string, argv: ReadonlyArray<string>, more: object = {}) =>
      Effect.map(
        hub.api("POST", `/devices/sessions/${session}/commands`, {
          ...as,
          body: { tool: "shell.run", input: { argv }, ...more }
        }),
        (answer) => expectStatus(answer, 201).body.id as string
      )
    const read = (id: string) => Effect.map(hub.api("GET", `/devices/commands/${id}`, as), ({ body }) => body)
    const end = (id: string) =>
      until(read(id), ({ status }) => status === "done" || status === "cancelled" || status === "expired")
    const running = (id: string) => until(read(id), ({ status }) => status === "running")
    const printed = (id: string) =>
      Effect.map(
        hub.api("GET", `/devices/commands/${id}/output?limit=200`, as),
        ({ body }) => body.data.map((chunk: { data: string }) => chunk.data).join("") as string
      )
    return { hub, owner: hub.owner, api: hub.api, as, proxy, place, queue, read, end, running, printed }
  })
  const transportsOf = ({ lines }: AgentAtWork): ReadonlyArray<string> =>
    lines.filter(({ event }) => event === "connected").map(({ via }) => via)
  const connectedBy = (agent: AgentAtWork, via: string, times = 1) =>
    until(Effect.sync(() => transportsOf(agent).filter((each) => each === via).length), (count) => count >= times)
  /** Prints a line for each file that is made: 1, 2, 3, …; ends at the file `last`. */
  const stepping = (root: string) =>
    `echo ran >> ${join(root, "ran")}; n=1; while [ ! -e ${
      join(root, "last")
    } ]; do if [ -e ${root}/step-$n ]; then echo line $n; n=$((n+1)); else sleep 0.02; fi; done; echo end`

  for (const upgrades of ["refuse", "strip", "swallow"] as const) {
    it.effect(`works over HTTP through a proxy that ${upgrades}s upgrades`, () =>
      Effect.gen(function*() {
        const { end, hub, owner, place, printed, proxy, queue } = yield* world(upgrades)
        const talk = place.script("talk", "echo one; echo two >&2; echo three; exit 3")
        place.rules([allow("true"), allow(talk)])
        const agent = yield* atWork(hub, owner, place)
        assert.deepStrictEqual(transportsOf(agent), ["poll"])
        assert.deepInclude(yield* end(yield* queue(agent.session, ["true"])), {
          status: "done",
          outcome: "succeeded",
          exit_code: 0,
          output_bytes: 0
        })
        const id = yield* queue(agent.session, [talk])
        assert.deepInclude(yield* end(id), { outcome: "failed", exit_code: 3 })
        assert.sameMembers((yield* printed(id)).trim().split("\n"), ["one", "two", "three"])
        assert.isTrue(proxy.seen.some((line) => line.startsWith("UPGRADE")))
        // One poll at a time, and no repeated polls for controls already received.
        assert.isBelow(proxy.seen.filter((line) => line.includes("/commands?wait=")).length, 10)
      }))
  }

  it.effect("a cancel arrives over the poll while another command is pending", () =>
    Effect.gen(function*() {
      const { api, as, end, hub, owner, place, queue, running } = yield* world("refuse")
      const wait = place.script("wait", "sleep 300")
      mkdirSync(join(place.root, "other"))
      place.rules([allow(wait), allow("true")], { sandbox: "off" })
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [wait])
      const second = yield* queue(session, ["true"])
      yield* running(id)
      expectStatus(yield* api("POST", `/devices/commands/${id}/cancel`, as), 200)
      assert.deepInclude(yield* end(id), { status: "cancelled", outcome: "cancelled" })
      assert.deepStrictEqual(processesOf(id, undefined), [])
      assert.deepInclude(yield* end(second), { outcome: "succeeded" })
    }))

  it.effect(
    "kills its trees, deletes its key, and exits with 77 when it is revoked while a command runs",
    () =>
      Effect.gen(function*() {
        const { api, as, hub, owner, place, queue, read, running } = yield* world("refuse")
        const wait = place.script("wait", "sleep 300")
        place.rules([allow(wait)], { sandbox: "off" })
        const { ended, session } = yield* atWork(hub, owner, place)
        const id = yield* queue(session, [wait])
        yield* running(id)
        expectStatus(yield* api("DELETE", `/devices/${place.id}`, as), 204)
        assert.strictEqual(yield* ended, 77)
        assert.deepStrictEqual(processesOf(id, undefined), [])
        assert.isFalse(existsSync(place.folder.file("device.key")))
        assert.deepInclude(yield* read(id), { status: "done", outcome: "interrupted" })
      })
  )

  it.effect("a second copy makes the first exit with 5, and its command is interrupted", () =>
    Effect.gen(function*() {
      const { api, end, hub, owner, place, queue, running } = yield* world("refuse")
      const wait = place.script("wait", "sleep 300")
      place.rules([allow(wait)], { sandbox: "off" })
      const { ended, session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [wait])
      yield* running(id)
      const key = readFileSync(place.folder.file("device.key"), "utf8").trim()
      expectStatus(
        yield* api("POST", `/devices/${place.id}/heartbeat`, {
          key,
          body: { status: "online", instance_id: "copied", boot_id: "another" }
        }),
        200
      )
      assert.strictEqual(yield* ended, 5)
      assert.deepInclude(yield* end(id), { outcome: "interrupted" })
      assert.deepStrictEqual(processesOf(id, undefined), [])
      assert.isTrue(existsSync(place.folder.file("superseded.json")))
    }))

  it.effect("requests approval over HTTP, and receives approval and rejection", () =>
    Effect.gen(function*() {
      const { api, as, end, hub, owner, place, printed, queue, read } = yield* world("refuse")
      const talk = place.script("talk", "echo said")
      place.rules([], { ask_via: "hub" })
      const { session } = yield* atWork(hub, owner, place)
      for (const [verdict, outcome] of [["approve", "succeeded"], ["reject", "denied"]] as const) {
        const id = yield* queue(session, [talk])
        const { approval_id: approval } = yield* until(read(id), ({ approval_id }) => approval_id !== undefined)
        const { payload_digest } = expectStatus(yield* api("GET", `/approvals/${approval}`, as), 200).body
        expectStatus(yield* api("POST", `/approvals/${approval}/${verdict}`, { ...as, body: { payload_digest } }), 200)
        assert.deepInclude(yield* end(id), { outcome })
        assert.strictEqual(yield* printed(id), outcome === "succeeded" ? "said\n" : "")
      }
    }))

  it.effect("drains over HTTP: running commands finish, no new one begins", () =>
    Effect.gen(function*() {
      const { api, as, end, hub, owner, place, queue, read, running } = yield* world("refuse")
      const script = place.script("steps", stepping(place.root))
      place.rules([allow(script), allow("true")])
      const { drain, ended, session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [script])
      yield* running(id)
      drain()
      yield* until(api("GET", `/devices/${place.id}`, as), ({ body }) => body.state === "draining")
      const second = yield* queue(session, ["true"])
      writeFileSync(join(place.root, "last"), "")
      assert.strictEqual(yield* ended, 0)
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.strictEqual((yield* read(second)).status, "queued")
    }))

  it.effect(
    "a command continues from socket to poll and back: it ran once, its output is complete and in order",
    () =>
      Effect.gen(function*() {
        const { end, hub, owner, place, printed, proxy, queue } = yield* world("pass")
        const script = place.script("steps", stepping(place.root))
        place.rules([allow(script)])
        const agent = yield* atWork(hub, owner, place)
        assert.deepStrictEqual(transportsOf(agent), ["socket"])
        const step = (n: number) => Effect.sync(() => writeFileSync(join(place.root, `step-${n}`), ""))
        const id = yield* queue(agent.session, [script])
        const shown = (text: string) => until(printed(id), (all) => all.endsWith(text))
        yield* step(1)
        yield* shown("line 1\n")
        proxy.upgrades = "refuse"
        assert.strictEqual(proxy.cut(), 1)
        yield* step(2)
        yield* connectedBy(agent, "poll")
        yield* step(3)
        yield* shown("line 3\n")
        proxy.upgrades = "pass"
        yield* connectedBy(agent, "socket", 2)
        yield* step(4)
        yield* shown("line 4\n")
        yield* Effect.sync(() => writeFileSync(join(place.root, "last"), ""))
        assert.deepInclude(yield* end(id), { outcome: "succeeded", exit_code: 0 })
        assert.strictEqual(yield* printed(id), "line 1\nline 2\nline 3\nline 4\nend\n")
        assert.strictEqual(readFileSync(join(place.root, "ran"), "utf8"), "ran\n")
      })
  )

  it.effect("of many commands across the switches, none is lost and none runs twice", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, proxy, queue } = yield* world("pass")
      const note = place.script("note", `echo $COUNTERSIGN_COMMAND_ID >> ${join(place.root, "ran")}`)
      place.rules([allow(note)])
      const agent = yield* atWork(hub, owner, place)
      const ids: Array<string> = []
      /** Three at a time, so that some are running at every switch. */
      const keepBusy = Effect.gen(function*() {
        for (;;) {
          const batch = yield* Effect.all([1, 2, 3].map(() => queue(agent.session, [note])))
          ids.push(...batch)
          yield* end(batch.at(-1)!)
        }
      })
      yield* Effect.raceFirst(
        Effect.asVoid(keepBusy),
        Effect.gen(function*() {
          yield* until(Effect.sync(() => ids.length), (count) => count >= 6)
          proxy.upgrades = "refuse"
          proxy.cut()
          yield* connectedBy(agent, "poll")
          const before = ids.length
          yield* until(
            Effect.sync(() => ids.length),
            (count) => count >= before + 6
          )
          proxy.upgrades = "pass"
          yield* connectedBy(agent, "socket", 2)
          const then = ids.length
          yield* until(Effect.sync(() => ids.length), (count) => count >= then + 6)
        })
      )
      for (const id of ids) assert.deepInclude(yield* end(id), { status: "done", outcome: "succeeded" })
      const ran = readFileSync(join(place.root, "ran"), "utf8").trim().split("\n")
      // A command queued at the end of the race may have run too.
      assert.strictEqual(new Set(ran).size, ran.length)
      assert.includeMembers(ran, ids)
    }))

  it.effect(
    "a hub that is unreachable by both transports is retried, and the command continues",
    () =>
      Effect.gen(function*() {
        const { end, hub, owner, place, printed, proxy, queue } = yield* world("refuse")
        const script = place.script("steps", stepping(place.root))
        place.rules([allow(script)])
        const agent = yield* atWork(hub, owner, place)
        const id = yield* queue(agent.session, [script])
        writeFileSync(join(place.root, "step-1"), "")
        yield* until(printed(id), (all) => all === "line 1\n")
        proxy.down = true
        writeFileSync(join(place.root, "step-2"), "")
        yield* until(Effect.sync(() => agent.lines), (lines) => lines.some(({ event }) => event === "disconnected"))
        proxy.down = false
        yield* connectedBy(agent, "poll", 2)
        writeFileSync(join(place.root, "last"), "")
        assert.deepInclude(yield* end(id), { outcome: "succeeded" })
        assert.strictEqual(yield* printed(id), "line 1\nline 2\nend\n")
        assert.strictEqual(readFileSync(join(place.root, "ran"), "utf8"), "ran\n")
      })
  )
})

describe("controls on every answer", () => {
  pure("are passed on once, and again after they were lifted", () => {
    const newControlsOf = trackControls()
    const cancel = { type: "cancel", command_id: "cmd_1" } as never
    assert.deepStrictEqual(newControlsOf([cancel]), [cancel])
    assert.deepStrictEqual(newControlsOf([cancel, { type: "pause" }]), [{ type: "pause" }])
    assert.deepStrictEqual(newControlsOf([cancel]), [])
    assert.deepStrictEqual(newControlsOf(undefined), [])
    assert.deepStrictEqual(newControlsOf([cancel]), [cancel])
  })
})
