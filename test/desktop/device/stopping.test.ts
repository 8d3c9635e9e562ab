/**
 * Stopping a command: signals first, also inside the sandbox, and the job remains until its last process ends. Spec:
 * reference/devices.md "D18: process trees".
 */
import { killTree, processesOf } from "@countersign/desktop/device/programs/process-tree"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { atWork, missingSandbox, paired, until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"
import { allow, operatorOf } from "./world.ts"

const exists = (path: string) => until(Effect.sync(() => existsSync(path)), (there) => there)
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

layer(HubTest(), { excludeTestServices: true })("stopping a command", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const place = yield* paired(hub, hub.owner)
    const as = { cookie: hub.owner.cookie }
    const cancel = (id: string) =>
      Effect.map(hub.api("POST", `/devices/commands/${id}/cancel`, as), (answer) => expectStatus(answer, 200))
    return { ...hub, hub, as, place, cancel, ...operatorOf(hub, hub.owner) }
  })

  for (const signal of ["INT", "TERM"]) {
    it.effect(`in a sandbox, SIG${signal} reaches the command, and its trap runs before the sandbox ends`, (context) =>
      Effect.gen(function*() {
        requireFor(context, missingSandbox())
        const { cancel, end, hub, owner, place, queue } = yield* world
        const ignored = signal === "TERM" ? "trap '' INT;" : ""
        const script = place.script(
          "tidy",
          `${ignored} trap 'sleep 0.2; echo tidied > tidied; exit 0' ${signal}; echo > ready; while :; do sleep 0.05; done`
        )
        place.rules([allow(script)], { sandbox: "required" })
        const { session } = yield* atWork(hub, owner, place)
        const id = yield* queue(session, [script])
        yield* exists(join(place.root, "ready"))
        yield* cancel(id)
        yield* end(id)
        assert.isTrue(existsSync(join(place.root, "tidied")))
        assert.deepStrictEqual(processesOf(id, undefined), [])
      }))
  }

  it.effect("without a sandbox, a daemon that leaves its session, environment, and parent ends when the device is revoked", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, place, queue } = yield* world
      const pids = join(place.root, "pids")
      const daemon =
        `setsid env -i /bin/sh -c 'echo $$ >> ${pids}; sleep 0.5; (sleep 300 & echo $! >> ${pids}); sleep 300' > /dev/null 2>&1 < /dev/null`
      const script = place.script("daemon", `(sleep 0.5; ${daemon}) & while :; do sleep 0.05; done`)
      place.rules([allow(script)], { sandbox: "off" })
      const { ended, session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [script])
      const numbers = () => existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : []
      yield* until(Effect.sync(numbers), (found) => found.length === 2)
      yield* Effect.addFinalizer(() => Effect.promise(() => killTree(id, undefined)))
      assert.isTrue(numbers().every(isAlive))
      expectStatus(yield* api("DELETE", `/devices/${place.id}`, as), 204)
      assert.strictEqual(yield* ended, 77)
      assert.deepStrictEqual(numbers().filter(isAlive), [])
    }))
})
