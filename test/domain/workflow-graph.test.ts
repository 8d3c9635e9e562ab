import { WorkflowDefinition } from "@countersign/domain/workflow-definition"
import { cyclesOf, graphOf, topologicalOrder } from "@countersign/domain/workflow-graph"
import { definitionProblems } from "@countersign/domain/workflow-problems"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const say = (label: string, payload: unknown = {}) => ({
  label,
  type: "service_call" as const,
  config: { service: "echo", operation: "say", payload }
})
const define = (steps: ReadonlyArray<unknown>, edges: ReadonlyArray<unknown> = [], rest: object = {}) =>
  Schema.decodeUnknownSync(WorkflowDefinition, { onExcessProperty: "error" })({ steps, edges, ...rest })
const edge = (from: string, to: string, when?: string) => ({ from, to, ...(when === undefined ? {} : { when }) })
const faults = (steps: ReadonlyArray<unknown>, edges: ReadonlyArray<unknown> = [], rest: object = {}) =>
  definitionProblems(define(steps, edges, rest))
const paths = (...args: Parameters<typeof faults>) => faults(...args).map(({ path }) => path)

describe("a graph", () => {
  const graph = graphOf(
    define([say("A"), say("B"), say("C"), say("D"), say("Alone")], [
      edge("A", "B"),
      edge("A", "C"),
      edge("B", "D"),
      edge("C", "D")
    ])
  )
  it("has the steps before and behind each step", () => {
    assert.deepStrictEqual([...graph.before.get("D") ?? []].sort(), ["A", "B", "C"])
    assert.deepStrictEqual([...graph.behind.get("A") ?? []].sort(), ["B", "C", "D"])
    assert.deepStrictEqual(graph.starts, ["A", "Alone"])
    assert.deepStrictEqual(graph.ends, ["D", "Alone"])
    assert.deepStrictEqual(graph.incoming.get("D")?.map(({ from }) => from), ["B", "C"])
  })
  it.prop(
    "has every step after those before it in the order, and cycles exactly if a step comes before itself",
    [Schema.Array(Schema.Tuple([Schema.Literals([0, 1, 2, 3, 4, 5]), Schema.Literals([0, 1, 2, 3, 4, 5])]))],
    ([pairs]) => {
      const shape = define(
        Array.from({ length: 6 }, (_, at) => say(`S${at}`)),
        pairs.slice(0, 12).map(([from, to]) => edge(`S${from}`, `S${to}`))
      )
      const graph = graphOf(shape)
      const isCyclic = graph.labels.some((label) => graph.before.get(label)?.has(label))
      const cycles = cyclesOf(shape)
      assert.strictEqual(cycles.length > 0, isCyclic)
      const closing = new Set(cycles.map(({ edge }) => edge))
      assert.lengthOf(cyclesOf({ ...shape, edges: shape.edges.filter((_, at) => !closing.has(at)) }), 0)
      if (isCyclic) return
      const order = topologicalOrder(graph)
      for (const { from, to } of shape.edges) assert.isBelow(order.indexOf(from), order.indexOf(to))
    },
    { arbitrary: { seed: 7, runs: 150 } }
  )
})

describe("the check of a definition", () => {
  it("accepts several starts, branches, joins, and steps without edges", () =>
    assert.deepStrictEqual(
      faults([say("A"), say("B"), say("C", "${steps.A.output.x} ${steps.B.output?}"), say("D")], [
        edge("A", "C", "output.ok == true && steps.A.status == 'succeeded'"),
        edge("B", "C", "input.n > 3")
      ], {
        input_schema: { type: "object", properties: { n: { type: "number" } } },
        output: { c: "${steps.C.output}", d: "${steps.D.output?}" }
      }),
      []
    ))

  it("reports every fault with its path", () =>
    assert.deepStrictEqual(
      paths(
        [
          say("A", { a: "${steps.B.output}", "b.c": ["${input"] }),
          say("A"),
          { label: "B", type: "condition", config: { expression: "steps.Z.output == 1" } },
          { label: "C", type: "delay", config: { until: "tomorrow" } },
          { label: "D", type: "webhook", config: { url: "ftp://x", headers: { host: "x", "a b": "c" } } },
          { label: "E", type: "run_workflow", config: { workflow_id: "wfl_1" } },
          { label: "F", type: "memory_write", config: { content: "${run.agent}", kind: "rumor", expires_at: "2026" } },
          {
            label: "G",
            type: "delegation",
            config: { to_agent_id: "me", goal: "x", budget_cents: 1, services: ["echo", "echo"] }
          }
        ],
        [
          edge("A", "B"),
          edge("B", "A"),
          edge("B", "X"),
          edge("C", "C"),
          edge("A", "B", "true"),
          edge("D", "E", "output +"),
          edge("D", "F", "output.n")
        ],
        { input_schema: { type: "thing" }, output: { x: "${steps.Nothing.output}" } }
      ),
      [
        "steps.1.label",
        "edges.2.to",
        "edges.4",
        "edges.1",
        "edges.3",
        "steps.0",
        "steps.1",
        "steps.2",
        "steps.3",
        "steps.0.config.payload.b.c.0",
        "steps.2.config.expression",
        "steps.3.config.until",
        "steps.4.config.url",
        "steps.4.config.headers.host",
        "steps.4.config.headers.a b",
        "steps.5.config.workflow_id",
        "steps.6.config.content",
        "steps.6.config.kind",
        "steps.6.config.expires_at",
        "steps.7.config.to_agent_id",
        "steps.7.config.services",
        "edges.5.when",
        "input_schema.type",
        "output.x"
      ]
    ))

  it.each([
    ["steps.B.output.ok", "B cannot have run before"],
    ["steps[\"B\"].status == 'failed'", "B cannot have run before"],
    ["input.list.exists(x, x == steps.B.output)", "B cannot have run before"],
    ["has(steps.Q.output)", "no step Q"],
    ["steps.A.result == 1", "no .result"],
    ["output == 1", "Unknown variable: output"],
    ["'text'", "not true or false"]
  ])("refuses the condition %s", (expression, message) => {
    const [fault, ...others] = faults([say("A"), say("B"), { label: "C", type: "condition", config: { expression } }], [
      edge("A", "C")
    ])
    assert.lengthOf(others, 0)
    assert.strictEqual(fault?.path, "steps.2.config.expression")
    assert.include(fault?.message ?? "", message)
  })

  it("gives the callback URL only to a webhook step with callback_within_seconds", () => {
    const hook = (config: object) => ({
      label: "Hook",
      type: "webhook",
      config: { url: "https://x.test/${input.id}", body: { back: "${callback_url}" }, ...config }
    })
    assert.deepStrictEqual(paths([hook({ callback_within_seconds: 60 })]), [])
    assert.deepStrictEqual(paths([hook({})]), ["steps.0.config.body.back"])
  })

  it("lets no step refer to itself, also in a cycle", () => {
    assert.deepStrictEqual(paths([say("A", "${steps.A.output}")]), ["steps.0.config.payload"])
    assert.include(
      paths([say("A", "${steps.A.output}"), say("B")], [edge("A", "B"), edge("B", "A")]),
      "steps.0.config.payload"
    )
  })
})
