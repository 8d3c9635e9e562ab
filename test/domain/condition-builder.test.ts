/** Conditions as a form and as text. Random tests have seeds, which a failure prints. */
import {
  type Condition,
  isPresence,
  readCondition,
  type RequestField,
  type Scalar,
  type Test,
  writeCondition
} from "@countersign/domain/condition-builder"
import { compileCondition } from "@countersign/domain/policy-rules"
import { compileStandingCondition } from "@countersign/domain/standing-conditions"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { conditionOutcome } from "../support/condition-model.ts"
import { type Chance, chanceOf } from "../support/random.ts"

const plain = (path: ReadonlyArray<string>, optional = false) => ({ kind: "payload", path, optional }) as const
const request = <N extends RequestField>(name: N) => ({ kind: "request", name }) as const
const one = (test: Test): Condition => ({ join: "all", tests: [test] })

describe("a condition as text", () => {
  it.each<readonly [Condition, string]>([
    [{ join: "all", tests: [] }, "true"],
    [{ join: "any", tests: [] }, "false"],
    [one({ field: request("ceiling_cents"), operator: ">", value: 5000 }), "ceiling_cents > 5000"],
    [one({ field: plain(["to"]), operator: "==", value: "a \"b\" \\ \n" }), "payload.to == \"a \\\"b\\\" \\\\ \\n\""],
    [
      one({ field: plain(["to"], true), operator: "endsWith", value: "@x.com" }),
      "(has(payload.to) && payload.to.endsWith(\"@x.com\"))"
    ],
    [
      one({ field: plain(["a", "b c", "in"], true), operator: "in", value: [-1, 2.5] }),
      "(has(payload.a) && \"b c\" in payload.a && \"in\" in payload.a[\"b c\"] && payload.a[\"b c\"][\"in\"] in [-1, 2.5])"
    ],
    [one({ field: plain(["a"]), operator: "absent" }), "!(has(payload.a))"],
    [one({ field: plain(["a", "b"], true), operator: "absent" }), "!(has(payload.a) && has(payload.a.b))"],
    [one({ field: request("service"), operator: "not in", value: ["a", "b"] }), "!(service in [\"a\", \"b\"])"],
    [{
      join: "any",
      tests: [{ field: request("service"), operator: "==", value: "mail" }, {
        field: plain(["n"], true),
        operator: "<",
        value: 2
      }]
    }, "service == \"mail\" || (has(payload.n) && payload.n < 2)"],
    [one({ field: plain(["a"]), operator: "==", value: "\u202eabc\u0007" }), "payload.a == \"\\u202eabc\\u0007\""]
  ])("%j", (condition, text) => {
    assert.strictEqual(writeCondition(condition), text)
    assert.deepStrictEqual(readCondition(text), Result.succeed(condition))
  })

  it.each<readonly [string, Scalar]>([
    [String.raw`payload.a == "\x41\101\u0041\U0001F600\a\b\f\n\r\t\v\\\?\"\'"`, "AAA😀\x07\b\f\n\r\t\v\\?\"'"],
    [`payload.a == 'it"s'`, "it\"s"],
    ["payload.a==1.5e3", 1500],
    ["  payload . a ==\n true ", true]
  ])("reads %s", (text, value) => {
    assert.deepStrictEqual(readCondition(text), Result.succeed(one({ field: plain(["a"]), operator: "==", value })))
  })

  it.each([
    ["", "The form cannot show this expression."],
    ["payload.a == 1 && payload.b == 2 || payload.c == 3", "The form cannot show && and || in one condition."],
    ["payload.a == 1 && (payload.b == 2 || payload.c == 3)", "The form cannot show nested groups."],
    ["(has(payload.a) && !has(payload.a))", "The form cannot show nested groups."],
    ["payload.a + 1 == 2", "The form compares fields with fixed values only."],
    ["payload.a == payload.b", "The form compares fields with fixed values only."],
    ["payload.a.matches('x')", "The form has no function matches."],
    ["payload.list.exists(x, x == 1)", "The form has no function exists."],
    ["\"a\" in payload.list", "The form cannot show a search in a list."],
    ["payload == {}", "The form compares fields of the payload, not the payload as a whole."],
    ["payload.a == 9007199254740993", "The form cannot show a number this large."],
    ["!(payload.a == 1)", "The form can negate only lists and the presence of a field."],
    ["nope == 1", "The form has no field nope."],
    ["payload.a < 'x'", "The form compares only numbers by size."],
    ["payload.a in [1, 'x']", "The form can show only lists of texts or of numbers."]
  ])("refuses %s with one sentence", (text, reason) => {
    assert.deepStrictEqual(readCondition(text), Result.fail(reason))
  })
})

const seeds = Array.from({ length: 1_500 }, (_, seed) => seed)
const characters = [..."ab\"\\'\n\t\0 é😀", "\u202e", "\ud800", "\x7f", "\u200d"]

const nameOf = ({ int, one }: Chance): string =>
  int(3) > 0
    ? one(["a", "b", "to", "amount"])
    : one(["in", "null", "b c", "1st", "it's \"x\"", "constructor", "", "é", "a\nb"])
const textOf = ({ int, one }: Chance): string =>
  int(2) === 0 ? one(["", "a", "mail", "x@y.com"]) : Array.from({ length: int(6) }, () => one(characters)).join("")
const numberOf = ({ int, next, one }: Chance): number =>
  int(2) === 0 ? int(30) - 5 : one([2 ** 53, 2 ** 60, -(2 ** 60), 1e21, 1e-7, -2.5, next(), next() * 1e9])
const several = (chance: Chance, most: number): ReadonlyArray<undefined> => Array.from({ length: chance.int(most + 1) })
const pathOf = (chance: Chance) => [nameOf(chance), ...several(chance, 2).map(() => nameOf(chance))]

const testOf = (chance: Chance, payloadOnly: boolean): Test => {
  const { int, one } = chance
  const inPayload = plain(pathOf(chance), int(2) === 0)
  const or = <N extends RequestField>(...names: ReadonlyArray<N>) =>
    payloadOnly || int(2) === 0 ? inPayload : request(one(names))
  const texts = () => or("agent.id", "agent.name", "agent.team_id", "service", "operation")
  switch (int(7)) {
    case 0:
      return {
        field: inPayload,
        operator: one(["==", "!="]),
        value: one([textOf(chance), numberOf(chance), int(2) === 0])
      }
    case 1:
      return { field: texts(), operator: one(["==", "!="]), value: textOf(chance) }
    case 2:
      return {
        field: or("ceiling_cents", "time.getHours()", "time.getDayOfWeek()"),
        operator: one(["<", "<=", ">", ">="]),
        value: numberOf(chance)
      }
    case 3:
      return { field: texts(), operator: one(["contains", "startsWith", "endsWith"]), value: textOf(chance) }
    case 4:
      return { field: texts(), operator: one(["in", "not in"]), value: several(chance, 3).map(() => textOf(chance)) }
    case 5: {
      const field = or("time.getHours()", "time.getDayOfWeek()")
      const value = several(chance, 3).map(() => field.kind === "request" ? int(24) : numberOf(chance))
      return { field, operator: one(["in", "not in"]), value }
    }
    default:
      return {
        field: plain(inPayload.path, inPayload.optional && inPayload.path.length > 1),
        operator: one(["present", "absent"])
      }
  }
}

const conditionOf = (seed: number, payloadOnly = false): Condition => {
  const chance = chanceOf(seed)
  const tests = several(chance, 4).map(() => testOf(chance, payloadOnly))
  // A single test reads back as joined by `all`.
  return { join: tests.length === 1 ? "all" : chance.one(["all", "any"]), tests }
}

const jsonOf = (chance: Chance, depth = 0): unknown => {
  switch (chance.int(depth > 2 ? 4 : 6)) {
    case 0:
      return textOf(chance)
    case 1:
      return numberOf(chance)
    case 2:
      return chance.int(2) === 0
    case 3:
      return null
    case 4:
      return several(chance, 2).map(() => jsonOf(chance, depth + 1))
    default:
      return Object.fromEntries(several(chance, 3).map(() => [nameOf(chance), jsonOf(chance, depth + 1)]))
  }
}

const put = (
  payload: unknown,
  [head = "", ...rest]: ReadonlyArray<string>,
  value: unknown
): Record<string, unknown> => {
  const object = typeof payload === "object" && payload !== null && !Array.isArray(payload)
    ? payload as Record<string, unknown>
    : {}
  return { ...object, [head]: rest.length === 0 ? value : put(object[head], rest, value) }
}

/** A payload in which the paths of the tests usually exist. */
const payloadFor = (seed: number, { tests }: Condition): unknown => {
  const chance = chanceOf(seed + 1_000_000)
  return tests.reduce<unknown>((payload, test) => {
    const pick = chance.int(5)
    if (test.field.kind !== "payload" || pick === 0) return payload
    const { path } = test.field
    const sought = isPresence(test)
      ? jsonOf(chance)
      : typeof test.value === "object"
      ? test.value[0] ?? jsonOf(chance)
      : test.value
    return put(payload, pick === 1 && path.length > 1 ? path.slice(0, -1) : path, pick <= 2 ? jsonOf(chance) : sought)
  }, put({}, [nameOf(chance)], jsonOf(chance)))
}

const base = {
  agent: { id: "agt_1", name: "Scout", team_id: "" },
  service: "mail",
  operation: "send",
  ceiling_cents: 5,
  time: new Date("2026-03-01T10:30:00Z")
}

describe("any condition", () => {
  it("reads back from its text as the same condition", () => {
    for (const seed of seeds) {
      const built = conditionOf(seed)
      assert.deepStrictEqual(
        readCondition(writeCondition(built)),
        Result.succeed(built),
        `seed ${seed}: ${writeCondition(built)}`
      )
    }
  })

  it("evaluates in CEL to the form's value", () => {
    const seen = { true: 0, false: 0, undefined: 0 }
    for (const seed of seeds) {
      const built = conditionOf(seed)
      const text = `seed ${seed}: ${writeCondition(built)}`
      const compiled = compileCondition(writeCondition(built))
      if (Result.isFailure(compiled)) return assert.fail(`${text}: ${compiled.failure.message}`)
      const given = { ...base, payload: payloadFor(seed, built) }
      const outcome = compiled.success.evaluate(given)
      const says = conditionOutcome(built, given)
      assert.strictEqual(
        Result.isSuccess(outcome) ? outcome.success : undefined,
        says,
        `${text} on ${JSON.stringify(given.payload)}`
      )
      seen[`${says}`]++
    }
    assert.isTrue(Object.values(seen).every((count) => count > 50), JSON.stringify(seen))
  })

  it("over the payload alone is valid for a standing approval", () => {
    for (const seed of seeds.slice(0, 300)) {
      assert.isTrue(Result.isSuccess(compileStandingCondition(writeCondition(conditionOf(seed, true)))), `seed ${seed}`)
    }
  })
})
