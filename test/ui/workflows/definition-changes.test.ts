import { type Definition, definitionChanges } from "@countersign/ui/workflows/definition-changes"
import { expect, test } from "vitest"

const step = (label: string, expression = "true") => ({ label, type: "condition", config: { expression } }) as const
const before: Definition = {
  steps: [step("A"), step("B")],
  edges: [{ from: "A", to: "B" }],
  output: "${steps.B.output}"
}

test("names added, removed, and changed parts, whatever their order", () => {
  const after: Definition = {
    steps: [step("C"), step("B", "false")],
    edges: [{ from: "C", to: "B", when: "output.x" }],
    input_schema: { type: "object" }
  }
  expect(definitionChanges(before, after).map(({ kind, name, part }) => `${part} ${name} ${kind}`)).toEqual([
    "step A removed",
    "step B changed",
    "step C added",
    "edge A → B removed",
    "edge C → B added",
    "input  added",
    "output  removed"
  ])
})

test("the same definition has no changes, and without an older version everything is new", () => {
  expect(definitionChanges(before, { ...before, steps: [step("B"), step("A")] })).toEqual([])
  expect(definitionChanges(undefined, before).every(({ kind }) => kind === "added")).toBe(true)
})
