import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

const sources = new URL("../../../packages/ui/src/", import.meta.url)
const defined = new Set(
  [...readFileSync(new URL("tokens/utilities.css", sources), "utf8").matchAll(/^ {2}\.([\w-]+) \{$/gmu)].map(
    ([, name]) => name ?? ""
  )
)

/** The words of every class attribute that is written as text, also as an argument of `classNames` or of a condition. */
const written = new Map<string, string>()
for (const file of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".tsx")) continue
  // `${styles.name}` in a text is a class of the screen.
  const code = readFileSync(new URL(file, sources), "utf8").replace(/`([^`$]*) \$\{\w+\.\w+\}`/gu, "\"$1\"")
  for (const [attribute] of code.matchAll(/\bclassName=(?:"[^"]*"|\{[^{}]*\})/gu)) {
    // A text that is compared, or the argument of another function, is no class.
    const classes = attribute.replace(/[!=]== "[^"]*"|\b(?!classNames\b)\w+\("[^"]*"\)/gu, "")
    for (const [, words = ""] of classes.matchAll(/"([^"]+)"/gu)) {
      for (const word of words.split(" ")) written.set(word, file)
    }
  }
}

/** Classes by which React Flow leaves the pointer to an element in a node. */
const reactFlow = ["nodrag", "nopan"]

test("every class in an attribute is defined in tokens/utilities.css", () => {
  expect(written.size).toBeGreaterThan(40)
  expect([...written].filter(([word]) => !defined.has(word) && !reactFlow.includes(word))).toEqual([])
})

test("every class of tokens/utilities.css is used", () => {
  expect([...defined].filter((word) => !written.has(word))).toEqual([])
})
