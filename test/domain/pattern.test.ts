import { AgentId } from "@countersign/domain/ids"
import { OperationName, ServiceName } from "@countersign/domain/services"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const domain = join(import.meta.dirname, "../../packages/domain/src")

const refusal = (schema: Schema.Codec<string, unknown>, text: string): string =>
  Result.match(Schema.decodeUnknownResult(schema)(text), { onFailure: String, onSuccess: () => "" })

describe("text that does not match its form", () => {
  it("is refused in words, without the regular expression", () => {
    for (const [schema, text] of [[ServiceName, "Not a name"], [OperationName, "a..b"], [AgentId, "agt_1"]] as const) {
      const message = refusal(schema, text)
      assert.match(message, /expected (lower-case|an id)/u)
      assert.notMatch(message, /RegExp|\^|\[a-z/u)
    }
  })
  it("has a description wherever the contract has a pattern", () => {
    const bare = globSync("*.ts", { cwd: domain }).filter((file) =>
      readFileSync(join(domain, file), "utf8").includes("isPattern")
    )
    assert.deepStrictEqual(bare, ["pattern.ts"])
  })
})
