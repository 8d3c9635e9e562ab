/**
 * Writes the generated files of both client libraries from `resources/openapi.json`. `npm run generate` runs it after
 * it has written the document; `npm run check` detects drift.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { type OpenApi, readDocument } from "./document.ts"
import { pythonFiles } from "./python.ts"
import { operationsFile, resourcesFile, typesFile } from "./typescript.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const typescript = join(root, "packages", "client", "src", "generated")
const python = join(root, "packages", "client-python", "src", "countersign_client")

/** Every generated file by its path below the repository's root. */
export const generatedFiles = (openapi: OpenApi): ReadonlyMap<string, string> => {
  const document = readDocument(openapi)
  const files = new Map([
    [join(typescript, "types.ts"), typesFile(document)],
    [join(typescript, "resources.ts"), resourcesFile(document)],
    [join(typescript, "operations.ts"), operationsFile(document)],
    ...Object.entries(pythonFiles(document)).map(([file, text]) => [join(python, file), text] as const)
  ])
  return new Map([...files].map(([file, text]) => [relative(root, file).replaceAll("\\", "/"), text]))
}

const contentOf = (file: string): string | undefined => {
  try {
    return readFileSync(join(root, file), "utf8")
  } catch {
    return undefined
  }
}

/** Modules of groups that the document no longer has. */
const leftovers = (files: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const folder = "packages/client-python/src/countersign_client/resources"
  return readdirSync(join(root, folder)).filter((name) => name.endsWith(".py")).map((name) => `${folder}/${name}`)
    .filter((file) => !files.has(file))
}

if (import.meta.main) {
  const openapi = JSON.parse(readFileSync(join(root, "resources", "openapi.json"), "utf8")) as OpenApi
  mkdirSync(join(python, "resources"), { recursive: true })
  const files = generatedFiles(openapi)
  const different = [...files].filter(([file, text]) => contentOf(file) !== text)
  const removed = leftovers(files)
  if (process.argv[2] === "check") {
    for (const file of [...different.map(([file]) => file), ...removed]) {
      console.error(`${file} is not what resources/openapi.json says now: npm run generate`)
    }
    process.exitCode = different.length + removed.length === 0 ? 0 : 1
  } else {
    for (const [file, text] of different) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    for (const file of removed) rmSync(join(root, file))
    console.log(`${different.length} of ${files.size} files written`)
  }
}
