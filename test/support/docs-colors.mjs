/**
 * The colors of the documentation are the console's: `resources/docs/assets/color.css` is written from
 * `packages/ui/src/tokens/color.css`, because the packages contain `resources` only. `node test/support/docs-colors.mjs`
 * writes it; `npm run check` compares it. Plain JavaScript for the system's own Node.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const source = "packages/ui/src/tokens/color.css"
const target = "resources/docs/assets/color.css"

/** @param {string} root @returns {string} the text of the written file */
const docsColors = (root) =>
  `/* Written by \`node test/support/docs-colors.mjs\` from \`${source}\`. */\n${
    readFileSync(join(root, source), "utf8")
  }`

/** @param {string} root @returns {string | undefined} the fault of the written file */
export const docsColorsFault = (root) =>
  readFileSync(join(root, target), "utf8") === docsColors(root)
    ? undefined
    : `${target} does not have the colors of ${source}: node test/support/docs-colors.mjs`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  writeFileSync(join(root, target), docsColors(root))
}
