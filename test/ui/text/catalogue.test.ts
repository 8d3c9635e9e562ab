import { definedTexts, type Message, type Messages, plural, textIn } from "@countersign/ui/text/catalogue"
import { isPseudo, pseudo } from "@countersign/ui/text/pseudo"
import { readdirSync, readFileSync } from "node:fs"
import { beforeAll, describe, expect, test } from "vitest"

const folder = new URL("../../../packages/ui/src/text/", import.meta.url)
const machinery = new Set(["catalogue.ts", "pseudo.ts"])
const modules = readdirSync(folder).filter((name) => name.endsWith(".ts") && !machinery.has(name))

const leaves = (messages: Messages, path = ""): ReadonlyArray<readonly [string, Message]> =>
  Object.entries(messages).flatMap(([name, message]) =>
    typeof message === "object" ? leaves(message, `${path}${name}.`) : [[path + name, message] as const]
  )

beforeAll(async () => {
  for (const name of modules) await import(new URL(name, folder).href)
})

describe("text catalog", () => {
  test("has a text in every module", () => expect(definedTexts.size).toBeGreaterThanOrEqual(modules.length))

  test("has no empty text, no outer blanks, and no exclamation marks", () => {
    for (const messages of definedTexts) {
      for (const [path, message] of leaves(messages)) {
        if (typeof message !== "string") continue
        expect(message.trim(), path).not.toBe("")
        expect(message, path).toBe(message.trim())
        expect(message, path).not.toMatch(/!|Oops/u)
      }
    }
  })

  test("is complete in the pseudo-locale, with the same placeholders", () => {
    for (const messages of definedTexts) {
      const other = leaves(textIn("pseudo", messages))
      expect(other.map(([path]) => path)).toEqual(leaves(messages).map(([path]) => path))
      for (const [at, [path, message]] of leaves(messages).entries()) {
        if (typeof message !== "string") continue
        const translated = other[at]?.[1] as string
        expect(isPseudo(translated), path).toBe(true)
        expect(translated.match(/\{\w+\}/gu), path).toEqual(message.match(/\{\w+\}/gu))
      }
    }
  })
})

test("plural forms follow their number", () => {
  const forms = { one: "# row", other: "# rows" }
  expect([0, 1, 2, 1_204].map((count) => plural(count, forms))).toEqual(["0 rows", "1 row", "2 rows", "1,204 rows"])
})

test("the pseudo-locale is longer and readable, and keeps placeholders", () => {
  expect(pseudo("Sign in {name}")).toBe("[Šîĝñ îñ {name}·····]")
})

test("no screen has texts outside the catalog", () => {
  const source = new URL("../../../packages/ui/src/", import.meta.url)
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tsx"))
  expect(files.length).toBeGreaterThan(20)
  for (const name of files) {
    const code = readFileSync(new URL(name, source), "utf8").replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gmu, "")
    // A word between tags, or in an attribute that screen readers read.
    const between = [...code.matchAll(/>\s*([A-Za-z][a-z]+(?: [a-z]+)*)[^<>{}()=;]*<\//gu)].map((found) => found[1])
    const read = [...code.matchAll(/\b(?:aria-label|placeholder|title|alt|label)="([^"]+)"/gu)].map((found) => found[1])
    expect([...between, ...read], name).toEqual([])
  }
})
