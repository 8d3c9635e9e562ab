import {
  loneReference,
  parseText,
  referencesOf,
  renderTemplate,
  templateProblems,
  templateTextMax,
  textReferencesMax,
  triggerRoots,
  workflowRoots
} from "@countersign/domain/workflow-template"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const scope = {
  input: {
    name: "Ada",
    n: 5,
    none: null,
    yes: false,
    list: [1, { z: "end" }],
    "any name": "spaced",
    "a}b": { "c\"d": "quoted" },
    evil: "${input.name}",
    escaped: "\\${input.name}",
    __proto_: 1
  },
  steps: {
    Search: { status: "succeeded", output: { items: [{ title: "First" }], count: 2 } },
    Failed: { status: "failed", error: { code: "adapter_error", message: "no" } }
  },
  run: { id: "run_1", created_at: "2026-11-27T10:00:00.000Z" }
}

const rendered = (template: unknown) => {
  const result = renderTemplate(template, scope, "config")
  return Result.isSuccess(result) ? result.success.value : assert.fail(JSON.stringify(result.failure))
}
const refused = (template: unknown, at = "config") => {
  const result = renderTemplate(template, scope, at)
  return Result.isFailure(result) ? result.failure : assert.fail(`rendered ${JSON.stringify(result.success.value)}`)
}

describe("a lone reference", () => {
  it.each<[string, unknown]>([
    ["${input}", scope.input],
    ["${input.n}", 5],
    ["${input.none}", null],
    ["${input.yes}", false],
    ["${input.list}", scope.input.list],
    ["${input.list.1.z}", "end"],
    ["${input[\"any name\"]}", "spaced"],
    ["${input[\"a}b\"][\"c\\\"d\"]}", "quoted"],
    ["${steps.Search.output}", scope.steps.Search.output],
    ["${steps.Search.output.items.0.title}", "First"],
    ["${steps.Search.status}", "succeeded"],
    ["${steps.Failed.error.code}", "adapter_error"],
    ["${run.id}", "run_1"],
    ["${input.evil}", "${input.name}"]
  ])("%s keeps the JSON value", (template, value) => assert.deepStrictEqual(rendered(template), value))
})

describe("text", () => {
  it.each([
    ["Hello ${input.name}!", "Hello Ada!"],
    ["${input.n}${input.n}", "55"],
    ["n=${input.n} none=${input.none} yes=${input.yes}", "n=5 none= yes=false"],
    ["list: ${input.list}", "list: [1,{\"z\":\"end\"}]"],
    ["missing: ${input.other?}.", "missing: ."],
    ["\\${input.name}", "${input.name}"],
    ["a \\${x} ${input.name} \\${", "a ${x} Ada ${"],
    ["$${input.n} {} } $", "$5 {} } $"],
    ["${input.evil} ${input.escaped}", "${input.name} \\${input.name}"]
  ])("%s becomes %s", (template, text) => assert.strictEqual(rendered(template), text))
})

describe("a missing value", () => {
  it("is left out with ?, from objects and lists", () => {
    assert.deepStrictEqual(
      rendered({ a: "${input.other?}", b: ["${steps.Skipped.output?}", 1, "${input.none?}"], c: "${input.n?}" }),
      { b: [1, null], c: 5 }
    )
  })
  it("leaves nothing of a template that is only it", () => assert.strictEqual(rendered("${input.other?}"), undefined))
  it("is named without ?, each once, with its path", () => {
    assert.deepStrictEqual(refused({ a: ["x ${input.other} ${input.other}"], b: "${steps.Failed.output}" }), [
      { path: "config.a.0", message: "${input.other} has no value." },
      { path: "config.b", message: "${steps.Failed.output} has no value." }
    ])
  })
  it.each([
    "${input.constructor}",
    "${input.__proto__}",
    "${input.list.length}",
    "${input.name.length}",
    "${input.name.0}",
    "${steps.toString}"
  ])("is every inherited member: %s", (template) => assert.match(refused(template)[0]?.message ?? "", /has no value/))
})

describe("syntax", () => {
  it.each([
    ["${", /not closed/],
    ["${input.name", /not closed/],
    ["${}", /empty/],
    ["${ input.name }", /blanks/],
    ["${input.list[0]}", /\.0/],
    ["${input..name}", /not a reference/],
    ["${input.}", /not a reference/],
    ["${input[\"a]}", /not a reference/],
    ["${input[\"\\x\"]}", /not a reference/],
    ["${input??}", /not a reference/],
    ["${1 + 1}", /blanks/],
    ["x".repeat(templateTextMax + 1), /at most 65536 characters/],
    ["${input}".repeat(textReferencesMax + 1), /at most 100 references/]
  ])("refuses %.40s", (template, message) => {
    const parsed = parseText(template)
    assert.match(Result.isFailure(parsed) ? parsed.failure : "", message)
  })

  it("finds a lone reference only", () => {
    assert.deepStrictEqual(loneReference("${input.a?}"), { source: "input.a", path: ["input", "a"], optional: true })
    for (const text of ["", "a", "${input}x", "${a}${b}", "\\${input}", "${"]) {
      assert.strictEqual(loneReference(text), undefined)
    }
  })
})

describe("the check of references", () => {
  const roots = workflowRoots({ before: new Set(["Search"]), all: new Set(["Search", "Send"]) })
  it.each<[string, RegExp | undefined]>([
    ["${input}", undefined],
    ["${input.a.b.c}", undefined],
    ["${steps.Search.output.a}", undefined],
    ["${steps.Search.status}", undefined],
    ["${run.created_at}", undefined],
    ["\\${nothing}", undefined],
    ["${steps.Send.output}", /Send cannot have run before/],
    ["${steps.Serch.output}", /no step Serch. Did you mean Search\?/],
    ["${steps.Search}", /\.output, \.status, \.error/],
    ["${steps.Search.result}", /\.output, \.status, \.error/],
    ["${steps}", /names no step/],
    ["${run}", /\$\{run\.id\} or \$\{run\.created_at\}/],
    ["${run.agent}", /unknown here/],
    ["${Search.output}", /Did you mean \$\{steps\.Search\.output\}/],
    ["${inputs.a}", /Did you mean \$\{input\}/],
    ["${payload.a}", /Use \$\{input\.name\}, \$\{steps\.Label\.output\}, or \$\{run\.id\}/],
    ["${callback_url}", /unknown here/],
    ["${constructor}", /unknown here/]
  ])("%s: %s", (template, message) => {
    const [problem, ...others] = templateProblems({ a: [template] }, "config", roots)
    assert.lengthOf(others, 0)
    if (message === undefined) return assert.strictEqual(problem, undefined)
    assert.strictEqual(problem?.path, "config.a.0")
    assert.match(problem?.message ?? "", message)
  })

  it("accepts the callback URL of a webhook step, and the roots of a trigger", () => {
    const steps = { before: new Set<string>(), all: new Set<string>() }
    assert.deepStrictEqual(templateProblems("${callback_url}", "", workflowRoots(steps, { callback: true })), [])
    assert.deepStrictEqual(templateProblems("${body.a} ${headers.x} ${query.q} ${delivery.id}", "", triggerRoots), [])
    assert.match(templateProblems("${input.a}", "", triggerRoots)[0]?.message ?? "", /\$\{body\.name\}/)
  })
})

describe("limits", () => {
  it("stops at a value that grows too large", () => {
    const large = { input: { text: "x".repeat(100_000), list: Array.from({ length: 1_000 }, (_, at) => at) } }
    const template = Array.from({ length: 3_000 }, () => "${input.text}")
    const result = renderTemplate(template, large, "config")
    assert.deepStrictEqual(Result.isFailure(result) && result.failure.map(({ path }) => path), ["config"])
    assert.isTrue(Result.isSuccess(renderTemplate("${input.text} ${input.list}", large)))
  })
  it("refuses more than 64 levels, also together with a value", () => {
    const nested = (levels: number, leaf: unknown): unknown => levels === 0 ? leaf : [nested(levels - 1, leaf)]
    assert.isTrue(Result.isSuccess(renderTemplate(nested(64, "a"), {})))
    assert.isTrue(Result.isFailure(renderTemplate(nested(65, "a"), {})))
    assert.isTrue(Result.isSuccess(renderTemplate(nested(32, "${input}"), { input: nested(32, 1) })))
    assert.isTrue(Result.isFailure(renderTemplate(nested(32, "${input}"), { input: nested(33, 1) })))
    assert.lengthOf(referencesOf(nested(65, "${input}"), "").problems, 1)
  })
})

describe("any template", () => {
  it.prop("without a reference stays as it is", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    if (text.includes("${")) return
    const result = renderTemplate(value, {})
    if (Result.isSuccess(result)) assert.strictEqual(JSON.stringify(result.success.value), text)
  }, { arbitrary: { seed: 7, runs: 300 } })

  it.prop("keeps the value of a lone reference, whatever it contains", [Schema.Json], ([value]) => {
    const result = renderTemplate({ a: "${input}" }, { input: value })
    if (Result.isSuccess(result)) assert.strictEqual(JSON.stringify(result.success.value), JSON.stringify({ a: value }))
  }, { arbitrary: { seed: 7, runs: 300 } })

  it.prop("inserts a text as it is, and does not read it again", [Schema.String, Schema.String], ([before, text]) => {
    if (before.includes("$") || before.endsWith("\\")) return
    const result = renderTemplate(`${before}\${input.text}`, { input: { text } })
    if (before === "") return
    assert.deepStrictEqual(result, Result.succeed({ value: before + text }))
  }, { arbitrary: { seed: 7, runs: 300 } })

  it.prop("finds every own member by its quoted name", [Schema.Record(Schema.String, Schema.Int)], ([members]) => {
    for (const name of Object.keys(members)) {
      assert.deepStrictEqual(
        renderTemplate(`\${input[${JSON.stringify(name)}]}`, { input: members }),
        Result.succeed({ value: members[name] })
      )
    }
  }, { arbitrary: { seed: 7, runs: 200 } })

  const pieces = [
    "${",
    "}",
    "input",
    "steps",
    ".",
    ".a",
    "[\"",
    "\"]",
    "\\",
    "?",
    "$",
    "{",
    " ",
    "0",
    "\"",
    "é",
    "\ud800"
  ]
  it.prop(
    "of any pieces is either refused when saved, or has a value with any input",
    [Schema.Array(Schema.Literals(pieces)).check(Schema.isMaxLength(24))],
    ([parts]) => {
      const text = parts.join("")
      const parsed = parseText(text)
      const result = renderTemplate(text, { input: { a: "${input}" } })
      if (Result.isFailure(parsed)) assert.isTrue(Result.isFailure(result))
      else {
        const references = parsed.success.filter((part) => typeof part === "object")
        // Writing the parsed parts again gives the same text.
        const again = parsed.success.map((part) =>
          typeof part === "string"
            ? part.replaceAll("${", "\\${")
            : `\${${part.source}${part.optional ? "?" : ""}}`
        ).join("")
        assert.deepStrictEqual(parseText(again), parsed)
        if (references.length === 0) assert.isTrue(Result.isSuccess(result))
      }
    },
    { arbitrary: { seed: 7, runs: 3_000 } }
  )
})
