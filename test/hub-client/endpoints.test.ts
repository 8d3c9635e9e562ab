import { endpoints } from "@countersign/hub-client/endpoints"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { endpointTable } from "../../packages/hub-client/scripts/endpoint-table.ts"

test("the endpoint table equals the contract's", () => {
  const file = new URL("../../packages/hub-client/src/endpoints.ts", import.meta.url)
  expect(readFileSync(file, "utf8"), "npm run -s endpoints -w packages/hub-client").toBe(endpointTable())
  expect(Object.keys(endpoints).length).toBeGreaterThan(60)
})
