/**
 * The words check of `npm run check`: no text, comment or name uses a phrase that `resources/docs/glossary.md` lists
 * under "Words to avoid". Plain JavaScript for the system's own Node.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const glossary = "resources/docs/glossary.md"
const counts = "test/support/words-left.json"

/** Generated files, and files of others. */
const notOurs =
  /(^package-lock\.json|^resources\/openapi\.json|^resources\/schema\.sql|^packages\/client\/src\/generated\/.*|\.webp|\.png|\.ico|\.icns|\.svg|\/fixtures\/.*)$/u
const texts = /\.(tsx?|mjs|sql|css|md|json|html|sh|yml)$/u

/** Files that list the phrases themselves. */
const lists = new Set([glossary, "test/support/words.mjs", "test/run/words.test.ts"])

/** Names on the wire, in the database, or of another project, which keep their spelling. */
const exceptions = [
  { text: /device\.heard/gu, reason: "an audit action" },
  {
    text:
      /\b(?:from|into|join|update|truncate|table|on)\s+movements\b|insert into movements \(|["']movements?\b|, movements,/gu,
    reason: "a table"
  },
  { text: /\btold(?: integer| = [01]|: Schema|: \[)|\)?\.told\b/gu, reason: "a stored column, and a field of a file" },
  { text: /\bstands: |\bdata\.stands\b/gu, reason: "a field of an audit entry" },
  { text: /prefers-reduced-movement|movementX|movementY/gu, reason: "names of the browser" }
]

/** The phrases of the glossary's second table. */
export const phrasesIn = (markdown) => {
  const [, table = ""] = markdown.split("## Words to avoid")
  return table.split("\n")
    .map((line) => /^\| (?<phrases>[^|]+) \|/u.exec(line)?.groups.phrases)
    .filter((cell) => cell !== undefined && cell !== "Do not write" && !cell.startsWith("---"))
    .flatMap((cell) => cell.split(", "))
}

/** Matches whole words; white space and comment marks between them may break the line. */
export const patternOf = (phrases) =>
  new RegExp(
    `(?<![\\w-])(?:${phrases.map((phrase) => phrase.replaceAll(" ", "(?:\\s|\\*|//|--)+")).join("|")})(?![\\w-])`,
    "giu"
  )

/** Every use of a phrase in a text, with its line number. */
export const usesIn = (text, pattern) => {
  const judged = exceptions.reduce(
    (rest, { text: name }) => rest.replaceAll(name, (found) => " ".repeat(found.length)),
    text
  )
  return [...judged.matchAll(pattern)].map((match) => ({
    line: judged.slice(0, match.index).split("\n").length,
    phrase: match[0].replaceAll(/(?:\s|\*|\/\/|--)+/gu, " ")
  }))
}

/**
 * `apps/hub/src/dispatch/view.ts` belongs to `apps/hub/src/dispatch`; files outside of such folders to their first
 * three parts.
 */
const areaOf = (file) => file.split("/").slice(0, -1).slice(0, 4).join("/") || "."

/**
 * The faults: areas that use phrases more often than `words-left.json` allows. It lists areas that are not rewritten
 * yet; its counts only fall.
 */
export const wordFaults = (root, { list = false } = {}) => {
  const read = (file) => readFileSync(join(root, file), "utf8")
  const { status, stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8"
  })
  if (status !== 0) return ["git ls-files failed: the words check needs a git checkout"]
  const pattern = patternOf(phrasesIn(read(glossary)))
  const left = JSON.parse(read(counts))
  const uses = new Map()
  for (const file of stdout.split("\0")) {
    if (!texts.test(file) || notOurs.test(file) || lists.has(file)) continue
    for (const { line, phrase } of usesIn(read(file), pattern)) {
      const area = areaOf(file)
      uses.set(area, [...uses.get(area) ?? [], `${file}:${line}: "${phrase}"`])
    }
  }
  const faults = []
  for (const [area, found] of [...uses].toSorted()) {
    const allowed = left[area] ?? 0
    if (list) faults.push(...found)
    else if (found.length > allowed) {
      faults.push(...found.slice(0, 20), `${area}: ${found.length} phrases to avoid (${glossary}), ${allowed} allowed`)
    }
  }
  for (const [area, allowed] of Object.entries(left)) {
    const found = uses.get(area)?.length ?? 0
    if (!list && found < allowed) {
      faults.push(`${area}: ${found} phrases are left; lower its count in ${counts} from ${allowed}`)
    }
  }
  return faults
}
