/** The check of imports between folders, on small repositories. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { folderFaults, importsOf } from "../support/folder-cycles.mjs"

const created: Array<string> = []
afterAll(() => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true })
})

/** The faults of a hub with these files, by their paths below `apps/hub/src`. */
const faultsIn = (files: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const root = mkdtempSync(join(tmpdir(), "cs-folders-"))
  created.push(root)
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, "apps/hub/src", name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return folderFaults(root)
}

const cycle = {
  "agents/a.ts": "import { b } from \"../bindings/b.ts\"\n",
  "bindings/b.ts": "export const b = 1\n",
  "bindings/c.ts": "import type {\n  A\n} from \"../agents/a.ts\"\n"
}

describe("imports of a source file", () => {
  it("are found in every form, over several lines, and not in strings", () =>
    assert.deepStrictEqual(
      importsOf([
        "import type { A } from \"./a.ts\"",
        "import {",
        "  b",
        "} from \"./b.ts\"",
        "import \"./c.ts\"",
        "export * from \"./d.ts\"",
        "export const e = () => import(\"./e.ts\")",
        "const from = \"from\"",
        "export const f = 'import from \"./f.ts\"'"
      ].join("\n")),
      [
        { name: "./a.ts", isType: true },
        { name: "./b.ts", isType: false },
        { name: "./c.ts", isType: false },
        { name: "./d.ts", isType: false },
        { name: "./e.ts", isType: false }
      ]
    ))
})

describe("folders", () => {
  it("may not import each other in a cycle, types included", () =>
    assert.deepStrictEqual(faultsIn(cycle), [
      "apps/hub/src/agents/a.ts: apps/hub/src/agents imports apps/hub/src/bindings, which is a cycle of folders",
      "apps/hub/src/bindings/c.ts: apps/hub/src/bindings imports apps/hub/src/agents, which is a cycle of folders"
    ]))
  it("may import a file beside them that imports others of them", () =>
    assert.deepStrictEqual(
      faultsIn({
        "config.ts": "export {}\n",
        "hub.ts": "import \"./agents/a.ts\"\n",
        "agents/a.ts": "import \"../config.ts\"\n"
      }),
      []
    ))
})

describe("layers", () => {
  it("reject a repository that imports a service", () => {
    const service = "export class A {}\n"
    assert.deepStrictEqual(
      faultsIn({ "a/service.ts": service, "b/list-repository.ts": "import { A } from \"../a/service.ts\"\n" }),
      ["apps/hub/src/b/list-repository.ts: a repository imports the service apps/hub/src/a/service.ts"]
    )
    assert.deepStrictEqual(
      faultsIn({ "a/service.ts": service, "b/repository.ts": "import type { A } from \"../a/service.ts\"\n" }),
      []
    )
  })
  it("reject a pure part of dispatch that reaches the edge or an HTTP client, also by another file", () =>
    assert.deepStrictEqual(
      faultsIn({
        "dispatch/decision/decision.ts": "import { a } from \"../../providers/a.ts\"\n",
        "providers/a.ts": "import { request } from \"undici\"\n"
      }),
      ["apps/hub/src/dispatch/decision/decision.ts: pure, and reaches undici by apps/hub/src/providers/a.ts"]
    ))
})
