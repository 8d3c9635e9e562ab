/** The schema that the migrations make, and the rules for its functions. */
import { functionDefinitions } from "@countersign/hub/platform/migrations"
import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { PgTest } from "../../support/pg.ts"
import { bodyLengths, schemaText } from "../../support/schema.ts"
import { sqlNames, sqlNamesFault } from "../../support/sql-names.mjs"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const header =
  `-- The schema after all migrations, for readers and reviews; no program reads it. After a migration, write it by
-- npm test -- test/hub/platform/schema.test.ts -u

`

const bodyLinesMax = 120

layer(PgTest, { excludeTestServices: true })("the schema", (it) => {
  it.effect("is the one in resources/schema.sql", () =>
    Effect.gen(function*() {
      const text = yield* schemaText
      yield* Effect.promise(() => expect(header + text).toMatchFileSnapshot(`${root}/resources/schema.sql`))
    }))

  it.effect(`has no function with a body above ${bodyLinesMax} lines`, () =>
    Effect.gen(function*() {
      const lengths = yield* bodyLengths
      assert.isTrue(lengths.some(({ name }) => name === "tick"))
      assert.deepStrictEqual(lengths.filter(({ lines }) => lines > bodyLinesMax), [])
    }))

  it.effect("has every function of resources/functions, and each file is named after the function that it defines", () =>
    Effect.gen(function*() {
      const names = new Set((yield* bodyLengths).map(({ name }) => name))
      for (const { file, text } of functionDefinitions()) {
        const defined = [...text.matchAll(/^create or replace function (\w+)\(/gmu)].map(([, name]) => name)
        const [, own] = /(\w+)\.sql$/u.exec(file) ?? []
        assert.deepStrictEqual(defined, [own])
        assert.isTrue(names.has(own!), file)
      }
    }))
})

describe("the names of kinds and codes", () => {
  it("are the same in SQL and in TypeScript", () => {
    assert.strictEqual(sqlNamesFault(root), undefined)
  })

  it("are defined for every use in resources/functions", () => {
    const namesOf = (constant: string) => {
      const [, block = ""] = new RegExp(`const ${constant} = \\{([^}]*)\\}`, "u").exec(sqlNames(root)) ?? []
      return new Set([...block.matchAll(/(\w+):/gu)].map(([, name]) => name))
    }
    const known = new Map(
      [["begin_code", "beginCodes"], ["settle_code", "settleCodes"], ["verdict_code", "verdictCodes"], [
        "limit_kind",
        "limitKinds"
      ], ["hold_phase", "holdPhases"]].map(([name, constant]) => [name!, namesOf(constant!)])
    )
    const uses = functionDefinitions().flatMap(({ file, text }) =>
      [...text.matchAll(/\b(begin_code|settle_code|verdict_code|limit_kind|hold_phase)\('(\w+)'\)/gu)]
        .map(([use, name, value]) => ({ file, use, isKnown: known.get(name!)?.has(value!) }))
    )
    assert.isAbove(uses.length, 50)
    assert.deepStrictEqual(uses.filter(({ isKnown }) => isKnown !== true), [])
  })
})
