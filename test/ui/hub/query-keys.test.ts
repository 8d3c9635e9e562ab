import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const sources = join(import.meta.dirname, "../../../packages/ui/src")

test("query keys are created in hub/query-options.ts only, so that one key has one definition", () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/u.test(file))
  expect(files.length).toBeGreaterThan(200)
  const written = files.filter((file) => /queryKey:\s*\[/u.test(readFileSync(join(sources, file), "utf8")))
  // The pages' key is named before it is used there.
  expect(written.map((file) => file.replaceAll("\\", "/"))).toEqual(["hub/query-options.ts"])
})
