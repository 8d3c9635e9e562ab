/**
 * V8 compiles a function at its first call, and Node caches the compiled code of a module before the module runs. So
 * every start would compile the thousands of functions that it calls, a sixth of its CPU time. V8 compiles a function
 * in parentheses together with its module: the built hub starts once, and the functions that ran get parentheses.
 */
import { spawn } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseAst } from "rolldown/parseAst"
import { Visitor } from "rolldown/utils"

/** What Node writes for `NODE_V8_COVERAGE`. The first range of a function is all of it. */
interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{
      readonly ranges: ReadonlyArray<
        { readonly startOffset: number; readonly endOffset: number; readonly count: number }
      >
    }>
  }>
}

/** Settings of this machine that must not reach the hub. */
const foreign = /^(?:HUB_|OTEL_|NODE_|DATABASE_URL$)/u

/** A first start takes some seconds. */
const startMillisMax = 300_000

/** Starts the hub on an empty directory, and ends it once it is ready. */
const startOnce = (script: string, env: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, "start"], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: startMillisMax,
      env: { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))), ...env }
    })
    const lines: Array<string> = []
    let isReady = false
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on("line", (line) => {
        lines.push(line)
        if (isReady || !line.includes("Countersign is ready")) return
        isReady = true
        child.kill("SIGTERM")
      })
    }
    child.once("error", reject)
    child.once("close", () =>
      isReady ? resolve() : reject(new Error(`The built hub does not start:\n${lines.join("\n")}`)))
  })

export const keyOf = (start: number, end: number): string => `${start}:${end}`

/** By script: the functions that a coverage in the folder counted. */
const functionsOf = (folder: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const file of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Coverage
    for (const { functions, url } of result) {
      const own = found.get(url) ?? new Set()
      found.set(url, own)
      for (const { ranges: [all] } of functions) {
        if (all !== undefined && all.count > 0) own.add(keyOf(all.startOffset, all.endOffset))
      }
    }
  }
  return found
}

/** Declarations and methods cannot be in parentheses. */
export const withParentheses = (code: string, functions: ReadonlySet<string>): string => {
  const methods = new Set<unknown>()
  const marks: Array<readonly [at: number, mark: "(" | ")"]> = []
  const take = (node: { readonly start: number; readonly end: number }) => {
    if (methods.has(node) || !functions.has(keyOf(node.start, node.end))) return
    marks.push([node.start, "("], [node.end, ")"])
  }
  new Visitor({
    MethodDefinition: ({ value }) => void methods.add(value),
    Property: ({ kind, method, value }) => {
      if (method || kind !== "init") methods.add(value)
    },
    FunctionExpression: take,
    ArrowFunctionExpression: take
  }).visit(parseAst(code))
  let at = 0
  const parts = marks.sort(([one], [other]) => one - other).map(([end, mark]) => {
    const part = code.slice(at, end) + mark
    at = end
    return part
  })
  return parts.join("") + code.slice(at)
}

/** Rewrites the scripts of a built package, which is complete except for its dependencies: those of `modules` serve it. */
export const compileWithModules = async (output: string, modules: string): Promise<void> => {
  const work = mkdtempSync(join(tmpdir(), "countersign-build-"))
  const coverage = join(work, "coverage")
  const link = join(output, "node_modules")
  mkdirSync(coverage)
  symlinkSync(modules, link, "junction")
  try {
    await startOnce(join(output, "lib", "hub.js"), {
      HUB_DATA_DIR: join(work, "data"),
      HUB_PORT: "0",
      NODE_DISABLE_COMPILE_CACHE: "1",
      NODE_V8_COVERAGE: coverage
    })
    const lib = pathToFileURL(join(output, "lib")).href
    for (const [url, functions] of functionsOf(coverage)) {
      if (dirname(url) !== lib) continue
      const file = fileURLToPath(url)
      writeFileSync(file, withParentheses(readFileSync(file, "utf8"), functions))
    }
  } finally {
    unlinkSync(link)
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}
