/** The payload text that a person reads before an approval above the limit. */
import { fieldsMax, payloadFields, textLengthMax } from "@countersign/desktop/main/bridge/payload-fields"
import { expect, test } from "vitest"

test("shows every member as a complete field in order, and marks values that the hub hides", () => {
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

test("masks text that looks like a token, also in names", () => {
  const token = `ghp_${"a1B2".repeat(9)}`
  expect(JSON.stringify(payloadFields({ note: `use ${token}`, deep: { key: token }, [token]: 1 }))).not.toContain(token)
})

test("shortens and counts excess text, never silently", () => {
  const long = payloadFields({ a: "x".repeat(textLengthMax), b: "yy" })
  expect(long.fields).toHaveLength(1)
  expect((long.fields[0]?.text?.length ?? 0) + long.left_out).toBe(textLengthMax + "byy".length)
  const many = payloadFields(Object.fromEntries(Array.from({ length: fieldsMax + 5 }, (_, at) => [`k${at}`, "v"])))
  expect(many.fields).toHaveLength(fieldsMax)
  expect(many.left_out).toBe(5 * "k100v".length)
})
