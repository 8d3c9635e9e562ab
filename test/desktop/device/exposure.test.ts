/** The line of `doctor` on what is open on this machine. */
import { exposureOf } from "@countersign/desktop/device/exposure"
import { pinRules } from "@countersign/desktop/device/programs/pin-rules"
import { findSandbox } from "@countersign/desktop/device/sandbox/sandbox"
import { type DeviceRules, parseRules } from "@countersign/domain/device-rules"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { missingSandbox, program, temporary, unpaired } from "../../support/device-agent.ts"
import { requireFor } from "../../support/required.ts"
import { allow } from "./world.ts"

const rulesOf = (rules: ReadonlyArray<object> = [], more: object = {}): DeviceRules => {
  const parsed = parseRules(JSON.stringify({ version: 1, rules, ...more }))
  if ("problem" in parsed) throw new Error(parsed.problem)
  return parsed.rules
}
const partsOf = (rules: DeviceRules, roots: ReadonlyArray<string>): ReadonlyArray<string> =>
  exposureOf(rules, roots).split("; ")

describe("the line on what is open", () => {
  it.live("lists what commands in the sandbox can reach", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingSandbox())
      const root = yield* temporary
      const [capabilities, ...others] = partsOf(rulesOf(), [root])
      assert.match(capabilities ?? "", /^no capabilities/u)
      assert.deepStrictEqual(others, [
        "home directories hidden",
        "network for people only",
        "1 root writable",
        "no rule allows a program in a root"
      ])
      assert.include(partsOf(rulesOf([], { network: "on" }), [root]), "network ON for all")
      assert.include(
        partsOf(rulesOf([{ ...allow("uptime"), network: "on" }], { network: "off" }), [root]),
        "no network, and ON by 1 rule"
      )
      assert.include(
        partsOf(rulesOf([], { sandbox_readable: ["/home/ann/.nvm"] }), [root]),
        "home directories hidden, /home/ann/.nvm readable"
      )
      const home = homedir()
      assert.include(
        partsOf(rulesOf(), [root, home]),
        `home directory ${home} OPEN, as it is in a root, with known secrets masked`
      )
      assert.include(partsOf(rulesOf(), [root, home]), "2 roots writable")
    }))

  it("reports that everything is open without a sandbox, and nothing where the rules require one", () => {
    assert.strictEqual(
      partsOf(rulesOf([], { sandbox: "off" }), [])[0],
      "EVERYTHING that this user can reach: no sandbox"
    )
    if (findSandbox() !== undefined) return
    assert.strictEqual(
      partsOf(rulesOf(), [])[0],
      "EVERYTHING that this user can reach: no sandbox, and approval required for each command"
    )
    assert.strictEqual(
      partsOf(rulesOf([], { sandbox: "required" }), [])[0],
      "nothing: no command runs without a sandbox"
    )
  })

  it.live("counts the rules that allow programs in roots, and those whose pin is missing or old", () =>
    Effect.gen(function*() {
      const root = yield* temporary
      const file = (name: string, text: string): string => {
        const path = join(root, name)
        writeFileSync(path, text, { mode: 0o755 })
        return path
      }
      const deploy = file("deploy", "#!/bin/sh\n")
      file("clean", "#!/bin/sh\n")
      const rules = rulesOf([allow(deploy), { ...allow("find", ".", "-exec", "./clean", ";"), root }, allow("uptime"), {
        ...allow("make", "all"),
        project_code: true
      }])
      const last = (given: DeviceRules) => partsOf(given, [root]).slice(-2)
      assert.deepStrictEqual(last(rules), [
        "2 rules allow programs in a root, 2 without a valid pin (approval required until device pin)",
        "1 rule runs project code"
      ])
      const pinned = pinRules(rules, [root])
      assert.deepStrictEqual(last(pinned), ["2 rules allow programs in a root, all pinned", "1 rule runs project code"])
      file("clean", "#!/bin/sh\ntrue\n")
      assert.include(last(pinned)[0], "1 without a valid pin")
    }))

  it.live("is a line of doctor", () =>
    Effect.gen(function*() {
      const place = yield* unpaired
      place.rules([], { network: "off" })
      const doctor = yield* program(["doctor", "--data-dir", place.folder.path])
      yield* doctor.ended
      const lines = doctor.printed().split("\n").filter((line) => line.includes("open to commands"))
      assert.deepStrictEqual(lines, [
        `ok   open to commands: ${
          exposureOf(rulesOf([], { network: "off", ...(findSandbox() === undefined ? { sandbox: "off" } : {}) }), [])
        }`
      ])
    }))
})
