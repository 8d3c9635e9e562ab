import { endpoints } from "@countersign/ui/hub/endpoints"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { endpointTable } from "../../../packages/ui/scripts/endpoint-table.ts"

test("the endpoint table equals the contract's", () => {
  const file = new URL("../../../packages/ui/src/hub/endpoints.ts", import.meta.url)
  expect(readFileSync(file, "utf8"), "npm run -s endpoints -w packages/ui").toBe(endpointTable())
  expect(Object.keys(endpoints).length).toBeGreaterThan(60)
})
