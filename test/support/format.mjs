/**
 * Formats TypeScript and CSS by `dprint.json`: `node test/support/format.mjs write | check`. dprint's plugins are
 * WebAssembly and run in Node; dprint's own program is not a dependency, because its packages are not published for
 * every platform that npm requests.
 */
import { createFromBuffer } from "@dprint/formatter"
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const { css, files, typescript, ...general } = JSON.parse(readFileSync(join(root, "dprint.json"), "utf8"))

const formatter = (plugin, settings) => {
  const path = createRequire(import.meta.url).resolve(`${plugin}/plugin.wasm`)
  const made = createFromBuffer(readFileSync(path))
  made.setConfig(general, settings)
  const problems = made.getConfigDiagnostics()
  if (problems.length > 0) throw new Error(`dprint.json: ${problems.map(({ message }) => message).join("; ")}`)
  return made
}

const formatters = {
  typescript: formatter("@dprint/typescript", typescript),
  css: formatter("dprint-plugin-malva", css)
}
const formatterOf = (file) => file.endsWith(".css") ? formatters.css : formatters.typescript

const [mode, ...named] = process.argv.slice(2)
const listed = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...files], {
  cwd: root,
  encoding: "utf8"
})
if (listed.status !== 0) throw new Error("git ls-files failed: formatting needs a git checkout")

let different = 0
for (const file of named.length > 0 ? named : listed.stdout.split("\n").filter((line) => line !== "")) {
  const path = join(root, file)
  const before = readFileSync(path, "utf8")
  const after = formatterOf(file).formatText({ filePath: path, fileText: before })
  if (after === before) continue
  different++
  if (mode === "write") writeFileSync(path, after)
  else console.error(`${file} is not formatted: npm run format`)
}
console.log(`${different} files ${mode === "write" ? "formatted" : "to format"}`)
process.exitCode = mode === "check" && different > 0 ? 1 : 0
