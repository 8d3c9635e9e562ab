import {
  draftOf,
  knownFields,
  newRow,
  onField,
  pathText,
  readPath,
  type Row,
  textOf
} from "@countersign/ui/conditions/condition-rows"
import { Result } from "effect"
import { expect, test } from "vitest"

const draft = (text: string) => Result.getOrThrow(draftOf(text, []))
const row = (changes: Partial<Row>): Row => ({ ...newRow(0, undefined), ...changes })

test.each([
  "ceiling_cents > 5000",
  "service == \"mail\" || (has(payload.n) && payload.n < 2.5)",
  "!(has(payload.a) && \"b c\" in payload.a)",
  "(has(payload.a) && payload.a == true) && !(time.getDayOfWeek() in [0, 6])",
  "payload.to in [\"a\", \"b, c\"]"
])("shows %s as rows, whose text is the same", (text) => {
  expect(textOf(draft(text))).toBe(text)
})

test("shows no rows for an empty condition", () => {
  expect(draft("  ")).toEqual({ join: "all", rows: [] })
})

test("leaves conditions without a matching form field to the text", () => {
  expect(draftOf("payload.a.matches('x')", [])).toEqual(
    Result.fail({ kind: "grammar", message: "The form has no function matches." })
  )
  expect(draftOf("ceiling_cents > 0.5", [])).toEqual(Result.fail({ kind: "amounts" }))
  expect(draftOf("ceiling_cents > -5", [])).toEqual(Result.fail({ kind: "amounts" }))
  expect(draftOf("payload.a in [\"x\\ny\"]", [])).toEqual(Result.fail({ kind: "lists" }))
})

test("has no text while a row is incomplete", () => {
  const complete = row({ path: "to", value: "x" })
  expect(textOf({ join: "all", rows: [complete] })).toBe("(has(payload.to) && payload.to == \"x\")")
  expect(textOf({ join: "all", rows: [complete, row({ id: 1, path: "" })] })).toBeUndefined()
  expect(textOf({ join: "all", rows: [row({ path: "a..b" })] })).toBeUndefined()
  expect(textOf({ join: "all", rows: [row({ path: "n", type: "number", value: "two" })] })).toBeUndefined()
  expect(textOf({ join: "all", rows: [row({ path: "n", type: "number", operator: "in", value: "1\n2" })] })).toBe(
    "(has(payload.n) && payload.n in [1, 2])"
  )
  expect(
    textOf({ join: "all", rows: [row({ field: "time.getHours()", type: "number", operator: "in", value: "1.5" })] })
  ).toBeUndefined()
})

test.each(["==", "!=", "contains", "startsWith", "in", "not in"] as const)(
  "has no text while the value of %s is empty",
  (operator) => {
    for (const value of ["", " "]) {
      expect(textOf({ join: "all", rows: [row({ field: "agent.id", operator, value })] })).toBeUndefined()
      expect(
        textOf({
          join: "all",
          rows: [
            row({
              path: "n",
              type: "number",
              operator: operator === "contains" || operator === "startsWith" ? "<" : operator,
              value
            })
          ]
        })
      ).toBeUndefined()
    }
  }
)

test.each(["agent.id == \"\"", "payload.a in []", "payload.a in [\"\"]"])("leaves %s to the text", (text) => {
  expect(draftOf(text, [])).toEqual(Result.fail({ kind: "empty" }))
})

test("reads paths as typed", () => {
  expect(readPath(" customer.country ")).toEqual(["customer", "country"])
  expect(readPath("a[\"b c\"]")).toEqual(["a", "b c"])
  expect(readPath("[\"b c\"].d")).toEqual(["b c", "d"])
  for (const text of ["", "a b", "a.", "1a", "a == true || payload.b", "a)"]) expect(readPath(text)).toBeUndefined()
  expect(pathText(["b c", "d"])).toBe("[\"b c\"].d")
})

test("offers a payload's fields, then those only in its schema, and no masked one", () => {
  const schema = {
    type: "object",
    properties: {
      to: { type: "string" },
      card: { type: "string", writeOnly: true },
      amount: { type: "integer" },
      deep: { type: "object", properties: { ok: { type: "boolean" } } }
    }
  }
  expect(knownFields({ to: "ada", card: { $masked: true }, list: [1] }, schema)).toEqual([
    { path: ["to"], type: "text", value: "ada" },
    { path: ["amount"], type: "number" },
    { path: ["deep", "ok"], type: "boolean" }
  ])
})

test("selects a comparison that the new field of a row supports", () => {
  const contains = row({ path: "to", operator: "contains", value: "x" })
  expect(onField(contains, { path: ["amount"], type: "number" })).toMatchObject({
    operator: "==",
    value: "",
    type: "number",
    path: "amount"
  })
  expect(onField(contains, "ceiling_cents")).toMatchObject({ operator: "<", field: "ceiling_cents", optional: false })
  expect(onField(contains, { path: ["ok"], type: "boolean" })).toMatchObject({ operator: "==", value: "true" })
})
