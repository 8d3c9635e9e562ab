/**
 * The names of the money core's kinds and codes: `resources/functions/names` defines each once, and
 * `apps/hub/src/platform/sql-names.ts` is generated from there. `node test/support/sql-names.mjs` writes it;
 * `npm run check` compares it. Plain JavaScript for the system's own Node.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const source = join("resources", "functions", "names")
const target = join("apps", "hub", "src", "platform", "sql-names.ts")

/** @param {string} name @returns {string} `beginCodes` for `begin_code` */
const constantOf = (name) => `${name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())}s`

/** @param {string} root @returns {string} the text of the generated file */
export const sqlNames = (root) => {
  const blocks = readdirSync(join(root, source)).sort().map((file) => {
    const text = readFileSync(join(root, source, file), "utf8")
    const lines = [...text.matchAll(/when '(\w+)' then return (\d+);/g)].map(([, name, code]) => `  ${name}: ${code}`)
    if (lines.length === 0) throw new Error(`${file} defines no name`)
    return `/** Of \`${file.replace(/\.sql$/, "")}\`. */\nexport const ${constantOf(file.replace(/\.sql$/, ""))} = {\n${
      lines.join(",\n")
    }\n} as const\n`
  })
  return `// Written by \`node test/support/sql-names.mjs\` from \`resources/functions/names\`.\n\n${blocks.join("\n")}`
}

/** @param {string} root @returns {string | undefined} what is wrong with the generated file */
export const sqlNamesFault = (root) =>
  readFileSync(join(root, target), "utf8") === sqlNames(root)
    ? undefined
    : `${target} is not what ${source} defines now: node test/support/sql-names.mjs`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  writeFileSync(join(root, target), sqlNames(root))
}
