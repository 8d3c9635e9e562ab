/** The owner's rules: the verdicts for actions, and the limits of rules. */
import { type Deed, type DeviceRules, judge, parseRules } from "@countersign/domain/device-rules"
import { assert, describe, it } from "@effect/vitest"

const rulesOf = (...rules: ReadonlyArray<object>): DeviceRules => {
  const parsed = parseRules(JSON.stringify({ version: 1, rules }))
  if ("problem" in parsed) throw new Error(parsed.problem)
  return parsed.rules
}
const shell = (argv: ReadonlyArray<string>, more: Partial<NonNullable<Deed["program"]>> = {}): Deed => {
  const path = argv[0]!.includes("/") ? argv[0]! : `/usr/bin/${argv[0]}`
  return {
    tool: "shell.run",
    place: "/srv/work",
    program: { argv, path, realPath: path, bare: !argv[0]!.includes("/"), env: [], ...more }
  }
}
const allow = (...argv: ReadonlyArray<string>) => ({ effect: "allow", tool: "shell.run", argv })

describe("the rules of a device", () => {
  it("ask by default, and the strictest of the matching rules wins", () => {
    assert.deepStrictEqual(judge(rulesOf(), shell(["ls"])), { effect: "ask" })
    const rules = rulesOf(allow("ls", "**"), { effect: "ask", tool: "shell.run", argv: ["ls", "*secret*"] }, {
      effect: "deny",
      tool: "shell.run",
      argv: ["ls", "/etc/**"]
    }, { effect: "deny", tool: "shell.run", argv: ["ls", "/etc*"] })
    assert.deepStrictEqual(judge(rules, shell(["ls", "-l", "x"])), { effect: "allow", rule: 0 })
    assert.deepStrictEqual(judge(rules, shell(["ls", "my-secret"])), { effect: "ask", rule: 1 })
    assert.strictEqual(judge(rules, shell(["ls", "/etc/shadow"])).effect, "deny")
  })

  it("D7: accept only literal arguments in an allow rule, except for plain programs", () => {
    const rules = rulesOf(allow("git", "status", "*"))
    assert.strictEqual(judge(rules, shell(["git", "status", "*"])).effect, "allow")
    assert.strictEqual(judge(rules, shell(["git", "status", "-c"])).effect, "ask")
    assert.strictEqual(judge(rules, shell(["git", "status"])).effect, "ask")
    assert.strictEqual(judge(rulesOf(allow("git", "status")), shell(["./git", "status"])).effect, "ask")
    assert.strictEqual(
      judge(rulesOf(allow("git", "status")), shell(["git", "status"], { env: ["GIT_PAGER"] })).effect,
      "ask"
    )
    assert.strictEqual(judge(rulesOf(allow("/srv/work/ls", "**")), shell(["/srv/work/ls", "a"])).effect, "allow")
  })

  it("D7: never allow shells, interpreters and wrappers, however they are called", () => {
    for (
      const argv of [
        ["bash"],
        ["/bin/sh", "-c", "true"],
        ["python3.12", "x.py"],
        ["sudo", "ls"],
        ["env", "ls"],
        ["xargs"],
        ["git", "**"],
        ["ls*"],
        []
      ]
    ) {
      assert.property(parseRules(JSON.stringify({ version: 1, rules: [allow(...argv)] })), "problem", argv.join(" "))
    }
    assert.property(
      parseRules(JSON.stringify({ version: 1, rules: [{ effect: "allow", tool: "shell.run" }] })),
      "problem"
    )
    const rules = rulesOf(allow("/srv/work/innocent"))
    assert.strictEqual(judge(rules, shell(["/srv/work/innocent"], { realPath: "/usr/bin/dash" })).effect, "ask")
  })

  it("apply below their root, and to their tool", () => {
    const rules = rulesOf({ effect: "allow", tool: "fs.read", root: "/srv/work" }, {
      effect: "deny",
      tool: "fs.read",
      root: "/srv/work/private/"
    })
    const read = (place: string) => judge(rules, { tool: "fs.read", place }).effect
    assert.deepStrictEqual([
      read("/srv/work/a"),
      read("/srv/worker/a"),
      read("/srv/work/private/a"),
      judge(rules, { tool: "fs.write", place: "/srv/work/a" }).effect
    ], ["allow", "ask", "deny", "ask"])
  })

  it("are parsed strictly", () => {
    for (
      const text of [
        "",
        "[]",
        "{}",
        "{\"version\":2,\"rules\":[]}",
        "{\"version\":1,\"rules\":[],\"default\":\"allow\"}",
        "{\"version\":1,\"rules\":[{\"effect\":\"allow\",\"tool\":\"fs.read\",\"argv\":[\"x\"]}]}",
        "{\"version\":1,\"rules\":[{\"effect\":\"allow\",\"tool\":\"fs.read\",\"root\":\"work\"}]}"
      ]
    ) {
      assert.property(parseRules(text), "problem", text)
    }
  })
})
