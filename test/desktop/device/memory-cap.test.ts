/** The owner's memory cap for commands: applied where the system supports it, reported as missing elsewhere. */
import { examine } from "@countersign/desktop/device/doctor"
import { capped, findCap } from "@countersign/desktop/device/sandbox/memory-cap"
import { parseRules } from "@countersign/domain/device-rules"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { atWork, paired, until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"
import { missingProgram } from "../../support/requirements.mjs"

layer(HubTest(), { excludeTestServices: true })("memory_mb_max", (it) => {
  it.effect(
    "ends a command that allocates more, in the sandbox too, and no other",
    (context) =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const place = yield* paired(hub, hub.owner)
        const as = { cookie: hub.owner.cookie }
        /** Allocates so many megabytes in a child process. */
        const hog = (name: string, megabytes: number) =>
          place.script(name, `head -c ${megabytes}M /dev/zero | tail -c ${megabytes}M > /dev/null`)
        const [much, little] = [hog("much", 200), hog("little", 4)]
        const rules = [much, little].map((script) => ({ effect: "allow", tool: "shell.run", argv: [script] }))
        const check = Effect.map(
          Effect.promise(() => examine(place.folder)),
          (findings) => findings.find(({ check }) => check === "memory cap")
        )
        place.rules(rules)
        assert.deepInclude(yield* check, { ok: true })
        const { session } = yield* atWork(hub, hub.owner, place)
        const outcome = Effect.fnUntraced(function*(script: string) {
          const { body } = expectStatus(
            yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
              ...as,
              body: { tool: "shell.run", input: { argv: [script] } }
            }),
            201
          )
          return (yield* until(
            Effect.map(hub.api("GET", `/devices/commands/${body.id}`, as), ({ body }) => body),
            ({ status }) => status === "done"
          )).outcome
        })
        assert.strictEqual(yield* outcome(much), "succeeded")
        for (const sandbox of ["off", "available"]) {
          place.rules(rules, { memory_mb_max: 64, sandbox })
          if (findCap() === undefined) {
            assert.deepInclude(yield* check, { ok: false })
            return requireFor(
              context,
              missingProgram("prlimit", "util-linux") ??
                { reason: "prlimit does not work here", provide: "run on Linux" }
            )
          }
          assert.match((yield* check)?.detail ?? "", /^64 MiB/)
          assert.strictEqual(yield* outcome(much), "failed", sandbox)
          assert.strictEqual(yield* outcome(little), "succeeded", sandbox)
        }
      })
  )

  it("is a whole number of MiB, and optional", () => {
    const rules = (memory_mb_max: unknown) => parseRules(JSON.stringify({ version: 1, rules: [], memory_mb_max }))
    assert.deepStrictEqual(rules(512), { rules: { version: 1, rules: [], memory_mb_max: 512 } })
    for (const wrong of [0, 15, 1.5, -1, "512", null, 2 ** 40]) assert.property(rules(wrong), "problem", String(wrong))
    const start = { path: "/bin/true", argv: ["true"], directory: "/" }
    assert.deepStrictEqual(capped(undefined, start), start)
  })
})
