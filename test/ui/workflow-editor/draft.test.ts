import { mergeDrafts } from "@countersign/ui/patterns/three-way"
import {
  addStep,
  connect,
  type Draft,
  emptyDraft,
  legalSources,
  legalTargets,
  neighbor,
  ordered,
  readDraft,
  removeStep,
  renameStep,
  setWhen,
  usable
} from "@countersign/ui/workflow-editor/draft"
import { draftFields } from "@countersign/ui/workflow-editor/draft-merge"
import { edgeProblem, stepOfProblem, stepProblems } from "@countersign/ui/workflow-editor/problems"
import { expect, test } from "vitest"

const step = (label: string, config: Draft["steps"][number]["config"] = { expression: "true" }) =>
  ({ label, type: "condition", config }) as const

/** A fans out to B and C, which join in D. */
const diamond: Draft = {
  steps: [step("D"), step("A"), step("B"), step("C")],
  edges: [{ from: "A", to: "B" }, { from: "A", to: "C" }, { from: "B", to: "D" }, { from: "C", to: "D" }]
}

test("adds a step behind another one, with a label that no step has", () => {
  const first = addStep(emptyDraft, "service_call", undefined)
  const second = addStep(first.draft, "service_call", first.label)
  expect([first.label, second.label]).toEqual(["Call", "Call2"])
  expect(second.draft.edges).toEqual([{ from: "Call", to: "Call2" }])
})

test("offers only targets that close no cycle and repeat no connection", () => {
  expect(legalTargets(diamond, "A")).toEqual(["D"])
  expect(legalTargets(diamond, "B")).toEqual(["C"])
  expect(legalTargets(diamond, "D")).toEqual([])
  expect(legalSources(diamond, "C")).toEqual(["B"])
  expect(connect(diamond, "D", "A")).toBe(diamond)
})

test("orders steps by their connections, and names the steps whose outputs a step can use", () => {
  expect(ordered(diamond)).toEqual(["A", "B", "C", "D"])
  expect(usable(diamond, "D")).toEqual(["A", "B", "C"])
  expect(usable(diamond, "B")).toEqual(["A"])
})

test("arrow keys follow connections down and up, and go to the other steps behind the same one", () => {
  expect(neighbor(diamond, "A", "down")).toBe("B")
  expect(neighbor(diamond, "D", "up")).toBe("B")
  expect(neighbor(diamond, "B", "next")).toBe("C")
  expect(neighbor(diamond, "C", "previous")).toBe("B")
  expect(neighbor(diamond, "C", "next")).toBeUndefined()
  expect(neighbor(diamond, "A", "up")).toBeUndefined()
})

test("a new label replaces the old one in connections, templates, and conditions, and nowhere else", () => {
  const draft: Draft = {
    steps: [
      step("Call"),
      { label: "Send", type: "webhook", config: { url: "https://x.example/${steps.Call.output.id}?steps.Call" } },
      step("Check", { expression: "steps.Call.output.n > 1 && steps[\"Call\"].status == \"x\" && mysteps.Call" }),
      { label: "Keep", type: "memory_write", config: { content: "\\${steps.Call.output} ${steps.Call2.output}" } }
    ],
    edges: [{ from: "Call", to: "Send", when: "steps.Call.output == 1" }],
    output: { a: "${steps.Call.output}" }
  }
  const renamed = renameStep(draft, "Call", "Fetch")
  expect(renamed.steps.map(({ config }) => config)).toEqual([
    { expression: "true" },
    { url: "https://x.example/${steps.Fetch.output.id}?steps.Call" },
    { expression: "steps.Fetch.output.n > 1 && steps[\"Fetch\"].status == \"x\" && mysteps.Call" },
    { content: "\\${steps.Call.output} ${steps.Call2.output}" }
  ])
  expect(renamed.edges).toEqual([{ from: "Fetch", to: "Send", when: "steps.Fetch.output == 1" }])
  expect(renamed.output).toEqual({ a: "${steps.Fetch.output}" })
})

test("removing a step removes its connections", () => {
  expect(removeStep(diamond, "B").edges).toEqual([{ from: "A", to: "C" }, { from: "C", to: "D" }])
})

test("an empty condition is none", () => {
  const given = setWhen(diamond, "A", "B", "input.x")
  expect(given.edges[0]).toEqual({ from: "A", to: "B", when: "input.x" })
  expect(setWhen(given, "A", "B", "").edges[0]).toEqual({ from: "A", to: "B" })
})

test.each([
  null,
  [],
  {},
  { steps: {}, edges: [] },
  { steps: [{ label: "A", type: "nothing", config: {} }], edges: [] },
  {
    steps: [],
    edges: [{ from: "A" }]
  }
])("reads no draft from %j", (value) => {
  expect(readDraft(value)).toBeUndefined()
})

test("places a problem at its step, and that of a connection at its target", () => {
  const problems = [
    { path: "steps.1.config.expression", message: "wrong" },
    { path: "edges.2.when", message: "unreadable" },
    { path: "steps.10.label", message: "elsewhere" }
  ]
  expect(problems.map((problem) => stepOfProblem(diamond, problem))).toEqual(["A", "D", undefined])
  expect(stepProblems(diamond, "A", problems)).toEqual([{ path: "config.expression", message: "wrong" }])
  expect(edgeProblem(diamond, "B", "D", problems)).toBe("unreadable")
})

test("merges changes of two people to different steps, and shows those to the same step side by side", () => {
  const set = (draft: Draft, label: string, expression: string): Draft => ({
    ...draft,
    steps: draft.steps.map((each) => each.label === label ? step(label, { expression }) : each)
  })
  const mine = set(set(diamond, "B", "mine"), "C", "mine")
  const theirs = removeStep(set(diamond, "C", "theirs"), "D")
  const merge = mergeDrafts(draftFields(diamond, mine, theirs), diamond, mine, theirs)
  expect(merge.mine.map(({ key }) => key)).toEqual(["step B"])
  expect(merge.theirs.map(({ key }) => key)).toEqual(["step D", "edges"])
  expect(merge.collisions.map(({ key }) => key)).toEqual(["step C"])
  expect(merge.draft.steps.map(({ label }) => label)).toEqual(["A", "B", "C"])
  expect(merge.draft.edges).toEqual([{ from: "A", to: "B" }, { from: "A", to: "C" }])
})
