/** What a person reads of a payload before a yes above the limit. */
import { fieldsMax, payloadFields, textLengthMax } from "@countersign/desktop/main/payload-fields"
import { expect, test } from "vitest"

test("every member is a field of its own, in its order, whole; what the hub hides is said to be hidden", () => {
  const payload = {
    to: "ada@example.com",
    lines: "one\ntwo",
    cents: 4_200,
    card: { $masked: true },
    rows: [{ a: 1 }],
    none: null
  }
  expect(payloadFields(payload)).toEqual({
    fields: [
      { label: "to", text: "ada@example.com" },
      { label: "lines", text: "one\ntwo" },
      { label: "cents", text: "4200" },
      { label: "card", text: null },
      { label: "rows", text: JSON.stringify([{ a: 1 }], null, 2) },
      { label: "none", text: "null" }
    ],
    left_out: 0
  })
  expect(payloadFields(undefined)).toEqual({ fields: [], left_out: 0 })
  expect(payloadFields("text")).toEqual({ fields: [{ label: "", text: "text" }], left_out: 0 })
})

test("what looks like a token is masked, in names too", () => {
  const token = `ghp_${"a1B2".repeat(9)}`
  expect(JSON.stringify(payloadFields({ note: `use ${token}`, deep: { key: token }, [token]: 1 }))).not.toContain(token)
})

test("what is too much is cut and counted, never left out in silence", () => {
  const long = payloadFields({ a: "x".repeat(textLengthMax), b: "yy" })
  expect(long.fields).toHaveLength(1)
  expect((long.fields[0]?.text?.length ?? 0) + long.left_out).toBe(textLengthMax + "byy".length)
  const many = payloadFields(Object.fromEntries(Array.from({ length: fieldsMax + 5 }, (_, at) => [`k${at}`, "v"])))
  expect(many.fields).toHaveLength(fieldsMax)
  expect(many.left_out).toBe(5 * "k100v".length)
})
