/**
 * Writes the npm package into a folder: JavaScript without dependencies, types, and its own `package.json`.
 * `npm run build:client -- FOLDER`; the default is `dist`, which `npm publish` takes.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { rolldown } from "rolldown"

const folder = join(import.meta.dirname, "..")
const root = join(folder, "..", "..")
const entries = ["index", "ai-sdk", "openai-agents"] as const

const buildScripts = async (output: string): Promise<void> => {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(folder, "src", `${name}.ts`)])),
    external: ["ai", "@openai/agents"],
    platform: "neutral",
    resolve: { conditionNames: ["import", "default"] }
  })
  await bundle.write({ dir: output, format: "esm", chunkFileNames: "[name].js" })
  await bundle.close()
}

/** The compiler also writes types of the modules that the scripts contain; only those of this package are public. */
const buildTypes = (output: string): void => {
  const emitted = mkdtempSync(join(tmpdir(), "countersign-client-types-"))
  try {
    const { status, stderr, stdout } = spawnSync(process.execPath, [
      join(root, "node_modules", "typescript", "bin", "tsc"),
      "-p",
      folder,
      "--noEmit",
      "false",
      "--emitDeclarationOnly",
      "--declaration",
      "--rootDir",
      root,
      "--outDir",
      emitted,
      "--rewriteRelativeImportExtensions"
    ], { encoding: "utf8" })
    if (status !== 0) throw new Error(`tsc: ${stdout}${stderr}`)
    cpSync(join(emitted, relative(root, folder), "src"), output, { recursive: true })
  } finally {
    rmSync(emitted, { recursive: true, force: true })
  }
}

const manifest = (): string => {
  const { description, license, name, type, version } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8")
  ) as Readonly<Record<string, string>>
  const exports = Object.fromEntries(entries.map((entry) => [
    entry === "index" ? "." : `./${entry}`,
    { types: `./${entry}.d.ts`, default: `./${entry}.js` }
  ]))
  return `${
    JSON.stringify(
      {
        name,
        version,
        description,
        license,
        type,
        sideEffects: false,
        engines: { node: ">=20" },
        exports,
        peerDependencies: { "@openai/agents": ">=0.10.0", ai: ">=6.0.0" },
        peerDependenciesMeta: { "@openai/agents": { optional: true }, ai: { optional: true } }
      },
      undefined,
      2
    )
  }\n`
}

export const buildPackage = async (output: string): Promise<void> => {
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  await buildScripts(output)
  buildTypes(output)
  writeFileSync(join(output, "package.json"), manifest())
  for (const file of ["README.md", "../../LICENSE"]) cpSync(join(folder, file), join(output, file.split("/").at(-1)!))
}

if (import.meta.main) await buildPackage(process.argv[2] ?? join(folder, "dist"))
