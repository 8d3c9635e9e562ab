/** The check of references and links, on small repositories. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { anchorsOf, commentsOf, headingsOf, referenceProblems } from "../support/references.mjs"

const created: Array<string> = []
afterAll(() => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true })
})

const page = "# Money\n\n## Holds\n\n```sh\n# no heading\n```\n\n## D15: closed `.env` files\n"

/** The problems of a repository with these files and one page, `reference/money.md`. */
const problemsIn = (files: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const root = mkdtempSync(join(tmpdir(), "cs-references-"))
  created.push(root)
  for (const [name, text] of Object.entries({ "resources/docs/reference/money.md": page, ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return referenceProblems(root)
}

/** The problems of one comment in `apps/a.ts`. */
const problemsOf = (comment: string) => problemsIn({ "apps/a.ts": `${comment}\nexport const a = 1\n` })

describe("references of comments", () => {
  it("accepts an existing heading, several of them, and a reference that is broken over two lines", () => {
    const accepted = [
      "/** Holds. Spec: reference/money.md \"Holds\". */",
      "// Spec: reference/money.md \"Holds\", \"D15: closed .env files\"; RFC 9110.",
      "// Spec: reference/money.md \"Holds\", reference/money.md \"Money\"",
      "/**\n * Holds. Spec: reference/money.md\n * \"D15: closed\n * `.env` files\". More text.\n */",
      "// Spec:\n// reference/money.md \"Holds\"."
    ]
    for (const comment of accepted) assert.deepStrictEqual(problemsOf(comment), [], comment)
  })
  it("rejects a page that does not exist", () =>
    assert.deepStrictEqual(problemsOf("/** Spec: reference/cash.md \"Holds\". */"), [
      "apps/a.ts:1: reference/cash.md does not exist in resources/docs"
    ]))
  it("rejects a heading that the page does not have, as the first and as a later one", () => {
    assert.deepStrictEqual(problemsOf("/** Spec: reference/money.md \"Hold\". */"), [
      "apps/a.ts:1: reference/money.md has no heading \"Hold\""
    ])
    assert.deepStrictEqual(problemsOf("/** Spec: reference/money.md \"Holds\", \"no heading\". */"), [
      "apps/a.ts:1: reference/money.md has no heading \"no heading\""
    ])
  })
  it("rejects every other form", () => {
    const rejected = [
      "// Spec: money.md \"Holds\"",
      "// Spec: reference/money.md",
      "// Spec: reference/money.md Holds",
      "// Spec: \"Holds\"",
      "// Spec: D15.",
      "// Spec: desktop E10.",
      "// Spec:",
      "// Spec: reference/money.md \"Holds\" and others",
      "// Spec: reference/money.md \"Holds\", D15."
    ]
    for (const comment of rejected) assert.lengthOf(problemsOf(comment), 1, comment)
  })
  it("rejects documents outside of the repository, also over two lines and without a Spec", () => {
    for (
      const mention of [
        "contract 2",
        "contract section 10",
        "service.md",
        "database.md 3",
        "desktop 4.3",
        "desktop-toolchain 5"
      ]
    ) {
      assert.lengthOf(problemsOf(`/** As in ${mention}. */`), 1, mention)
    }
    assert.lengthOf(problemsOf("/**\n * Word by word of contract\n * 8a.\n */"), 1)
  })
  it("reads SQL, CSS, JavaScript, and comments after code, with the line of the comment", () => {
    const wrong = "Spec: reference/money.md \"Hold\""
    const files = {
      "resources/migrations/1.sql": `select 1;\n-- ${wrong}\n`,
      "packages/b.css": `a {}\n\n/* ${wrong} */\n`,
      "test/c.mjs": `\nconst a = 1 // ${wrong}\n`,
      "apps/d.tsx": `const a = 1 /** ${wrong} */\n`,
      "apps/e.tsx": `<p>\n  {/* ${wrong} */}\n</p>\n`
    }
    assert.deepStrictEqual(problemsIn(files).map((problem) => problem.split(" ", 1)[0]).toSorted(), [
      "apps/d.tsx:1:",
      "apps/e.tsx:2:",
      "packages/b.css:3:",
      "resources/migrations/1.sql:2:",
      "test/c.mjs:2:"
    ])
  })
  it("ignores strings, addresses, and generated folders", () => {
    assert.deepStrictEqual(
      problemsIn({
        "apps/a.ts": "const a = \"// Spec: contract 2\"\nconst b = \"https://contract 2\"\nconst contract = 2\n",
        "apps/node_modules/a.ts": "// Spec: contract 2\n",
        "packages/dist/a.ts": "// Spec: contract 2\n"
      }),
      []
    )
  })
})

describe("links of documents", () => {
  it("accepts files, folders, anchors, images, addresses, and links in code", () => {
    assert.deepStrictEqual(
      problemsIn({
        "README.md":
          "[a](resources/docs/reference/money.md#holds) [b](apps) ![c](c.png \"C\") [d](https://example.com/x.md) [e](#read-me)\n\n# Read me\n\n" +
          "`[f](nowhere.md)`\n\n```md\n[g](nowhere.md)\n```\n\n[h]: c.png\n",
        "apps/x.md": "[up](../README.md) [money](../resources/docs/reference/money.md#d15-closed-env-files)\n",
        "c.png": ""
      }),
      []
    )
  })
  it("rejects a file that does not exist, in a link, an image, and a definition", () =>
    assert.deepStrictEqual(problemsIn({ "apps/x.md": "[a](README.md)\n![b](b.png)\n\n[c]: ./c.md\n" }), [
      "apps/x.md:1: the link README.md leads to no file",
      "apps/x.md:2: the link b.png leads to no file",
      "apps/x.md:4: the link ./c.md leads to no file"
    ]))
  it("rejects an anchor without its heading, in another document and in the same", () =>
    assert.deepStrictEqual(problemsIn({ "x.md": "[a](resources/docs/reference/money.md#hold)\n[b](#b)\n" }), [
      "x.md:1: the link resources/docs/reference/money.md#hold names no heading of resources/docs/reference/money.md",
      "x.md:2: the link #b names no heading of x.md"
    ]))
  it("rejects a link that leaves the repository", () =>
    assert.deepStrictEqual(problemsIn({ "x.md": "[a](../y.md)\n[b](/docs)\n" }), [
      "x.md:1: the link ../y.md leaves the repository",
      "x.md:2: the link /docs leaves the repository"
    ]))
})

describe("parts of the check", () => {
  it("reads headings outside of code, without marks", () => {
    assert.deepStrictEqual(headingsOf(page), ["Money", "Holds", "D15: closed .env files"])
    assert.deepStrictEqual([...anchorsOf("# A b\n## A b\n## `c.d` & E_f")], ["a-b", "a-b-1", "cd--e_f"])
  })
  it("joins a comment over several lines", () =>
    assert.deepStrictEqual(commentsOf("a.ts", "a\n/**\n * b\n * c\n */\n// d\n// e\n\n// f\nconst g = 1 // h\n"), [
      { line: 2, text: "b c" },
      { line: 6, text: "d e" },
      { line: 9, text: "f" },
      { line: 10, text: "h" }
    ]))
  it("finds no unresolved reference or link in this repository", () =>
    assert.deepStrictEqual(referenceProblems(dirname(dirname(import.meta.dirname))), []))
})
