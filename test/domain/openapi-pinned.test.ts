import { openApiDocument } from "@countersign/hub/discovery/service"
import { readFileSync } from "node:fs"
import { assert, it } from "vitest"

const file = new URL("../../resources/openapi.json", import.meta.url)

it("resources/openapi.json matches the contract (npm run -s hub -- openapi > resources/openapi.json)", () => {
  assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")), JSON.parse(JSON.stringify(openApiDocument())))
})
