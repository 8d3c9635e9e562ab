/**
 * `npm test`, `npm run check`, `npm run generate`, `npm run build:client`, `npm run bench`, and the like: installs what is missing, then runs the work under Node
 * 24. Plain JavaScript for the system's own Node (20 or later). The last line of `test` is always
 * `N passed, N failed, N skipped`.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { ensureInstalled, findNode, root } from "../apps/hub/scripts/installation.mjs"
import { endLike, endWith, runToEnd } from "../apps/hub/scripts/process.mjs"
import { docsColorsFault } from "./support/docs-colors.mjs"
import { folderFaults } from "./support/folder-cycles.mjs"
import { childrenCpuSeconds, outputsInTurn } from "./support/programs.mjs"
import { referenceProblems } from "./support/references.mjs"
import { inCi, installPackages, missingChromium } from "./support/requirements.mjs"
import { faultsOf, linesOf, noResults, sumOf } from "./support/results.mjs"
import { sqlNamesFault } from "./support/sql-names.mjs"
import { wordFaults } from "./support/words.mjs"

const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const playwright = join(root, "node_modules", "@playwright", "test", "cli.js")
const formatting = join("test", "support", "format.mjs")
const consoleTests = join("test", "e2e", "console")

/**
 * Runs one test program. Any end but success that no test accounts for is one failure, so "0 failed" and exit code 0 go
 * together.
 */
const runTests = async (name, args, { finished, stdio }) => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-counts-"))
  const countsFile = join(folder, "counts.json")
  const began = performance.now()
  const end = await runToEnd(findNode(), args, {
    cwd: root,
    env: { ...process.env, TEST_COUNTS_FILE: countsFile },
    stdio
  })
  const cpuSeconds = childrenCpuSeconds()
  const seconds = (performance.now() - began) / 1000
  finished()
  const hasReported = existsSync(countsFile)
  const results = hasReported ? JSON.parse(readFileSync(countsFile, "utf8")) : noResults()
  rmSync(folder, { recursive: true, force: true })
  const ending = `${args[0].split(/[/\\]/).at(-1)} ended with ${end.signal ?? `exit code ${end.code}`}`
  if (!hasReported) results.failures.push(`${ending} before it reported its results`)
  else if (end.code !== 0 && results.failures.length === 0) results.failures.push(ending)
  results.programs.push({ name, tests: results.passed + results.failures.length, seconds, cpuSeconds })
  return { end, results }
}

const runVitest = (args, output) => {
  const reporters = ["--reporter=default", `--reporter=${join(root, "test", "support", "counts-reporter.ts")}`]
  return runTests("vitest", [vitest, "run", ...reporters, ...args], output)
}

/** The console's tests, in a browser. Without one they fail in CI, and are skipped elsewhere. */
const runPlaywright = async (args, output) => {
  const missing = missingChromium()
  if (missing === undefined) return runTests("Playwright", [playwright, "test", "-c", consoleTests, ...args], output)
  output.finished()
  const { provide, reason } = missing
  const results = noResults()
  if (inCi) results.failures.push(`${consoleTests}\n  ${reason}, which CI must have: ${provide}`)
  else results.skipped.push({ title: `${consoleTests}, all tests`, reason: `${reason}: ${provide}` })
  return { end: { code: inCi ? 1 : 0, signal: null }, results }
}

/** The packages that the tests of these files need. */
const packagesFor = (files) => {
  const isOf = (...words) => files.length === 0 || files.some((file) => words.some((word) => file.includes(word)))
  const inApp = (file) => file.includes("desktop") && !file.replaceAll("\\", "/").includes("desktop/device")
  const inBrowser = (file) => file.includes("e2e") && (inApp(file) || file.includes("console"))
  return [
    ...isOf("desktop", "device", "second-machine") ? ["devices"] : [],
    ...files.length === 0 || files.some(inApp) ? ["desktop"] : [],
    ...files.length === 0 || files.some(inBrowser) ? ["console"] : [],
    ...isOf("discovery", "deploy") ? ["hosting"] : [],
    ...isOf("commands") ? ["commands"] : [],
    ...isOf("soak", "clients") ? ["python"] : []
  ]
}

/**
 * Each program fills two cores by itself. Both at once on two took as long as one after the other, and tests ran into
 * their time limits.
 */
const areAtOnce = (process.env.TEST_AT_ONCE ?? (availableParallelism() >= 4 ? "1" : "0")) === "1"

const allAtOnce = (runs) => {
  const outputs = outputsInTurn(runs.length)
  return Promise.all(runs.map((run, at) => run(outputs[at])))
}

/** After a signal the rest does not start. */
const oneByOne = async (runs) => {
  const ran = []
  for (const run of runs) {
    ran.push(await run({ stdio: "inherit", finished: () => {} }))
    const { code, signal } = ran.at(-1).end
    if (signal !== null || code > 128) break
  }
  return ran
}

/** A file or folder of the console's tests is for Playwright, any other for vitest; without one both run. */
const test = async (args) => {
  findNode()
  const files = args.filter((arg) => !arg.startsWith("-"))
  const inConsole = (arg) => arg.replaceAll("\\", "/").includes("e2e/console")
  installPackages(packagesFor(files))
  const runs = []
  if (files.length === 0 || !files.every(inConsole)) {
    runs.push((output) => runVitest(args.filter((arg) => !inConsole(arg)), output))
  }
  if (files.length === 0 || files.some(inConsole)) {
    const own = files.length === 0 ? [] : args.filter((arg) => arg.startsWith("-") || inConsole(arg))
    runs.push((output) => runPlaywright(own, output))
  }
  // What the installation took is none of a test program's.
  childrenCpuSeconds()
  const ran = areAtOnce ? await allAtOnce(runs) : await oneByOne(runs)
  const sum = sumOf(ran.map(({ results }) => results))
  const results = { ...sum, failures: [...sum.failures, ...faultsOf(sum)] }
  // Below everything else: the end of a long log is enough to see the result.
  for (const line of linesOf(results)) console.log(line)
  const worst = ran.map(({ end }) => end).find(({ code, signal }) => signal !== null || code !== 0)
  endLike(results.failures.length === 0 ? { code: 0, signal: null } : worst ?? { code: 1, signal: null })
}

const projects = () =>
  ["packages", "apps"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name)))
    .concat("test")
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(folder, file)))
    .filter((file) => /(^|[/\\])tsconfig(\.[\w-]+)?\.json$/.test(file))

const openapiFile = join(root, "resources", "openapi.json")
const readOpenapi = (node) => {
  const args = [join(root, "apps", "hub", "src", "main.ts"), "openapi"]
  const made = spawnSync(node, args, { encoding: "utf8", maxBuffer: 1 << 26 })
  if (made.status !== 0) throw new Error(`hub openapi failed: ${made.stderr}`)
  return made.stdout
}

/** The scripts that write files from the contract, in their order: a later one may read what an earlier one wrote. */
const generators = [
  ["packages/hub-client/scripts/endpoint-table.ts"],
  ["packages/client/scripts/generate.ts"]
]

/** `npm run generate`: writes every file that is generated from the contract. */
const generate = async () => {
  const node = findNode()
  writeFileSync(openapiFile, readOpenapi(node))
  for (const generator of generators) {
    const { code } = await runToEnd(node, generator, { cwd: root })
    if (code !== 0) process.exit(1)
  }
}

/** Files that are generated from the contract. */
const generatedIsCurrent = async (node) => {
  console.log("generated resources/openapi.json, and the clients")
  const isCurrent = readOpenapi(node) === readFileSync(openapiFile, "utf8")
  if (!isCurrent) console.error("resources/openapi.json is not what the contract says now: npm run generate")
  const { code } = await runToEnd(node, ["packages/client/scripts/generate.ts", "check"], { cwd: root })
  return isCurrent && code === 0
}

const sqlNamesAreCurrent = () => {
  console.log("names of resources/functions/names")
  const fault = sqlNamesFault(root)
  if (fault !== undefined) console.error(fault)
  return fault === undefined
}

const docsColorsAreCurrent = () => {
  console.log("colors of the documentation")
  const fault = docsColorsFault(root)
  if (fault !== undefined) console.error(fault)
  return fault === undefined
}

const wordsAreCurrent = () => {
  console.log("words of resources/docs/glossary.md")
  const faults = wordFaults(root)
  for (const fault of faults) console.error(fault)
  return faults.length === 0
}

const referencesResolve = () => {
  console.log("references of comments, links of documents")
  const problems = referenceProblems(root)
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

const foldersAreLayered = () => {
  console.log("imports between folders")
  const faults = folderFaults(root)
  for (const fault of faults) console.error(fault)
  return faults.length === 0
}

const check = async (args) => {
  const node = findNode()
  const steps = [
    ...projects().map((project) => [
      join("node_modules", "typescript", "bin", "tsc"),
      "-p",
      project,
      "--incremental",
      "--tsBuildInfoFile",
      join("node_modules", ".cache", "tsc", project)
    ]),
    [join("node_modules", "oxlint", "bin", "oxlint"), "--deny-warnings", ...args],
    [formatting, "check"]
  ]
  let failures = 0
  for (const [program, ...rest] of steps) {
    console.log(`${program.split(/[/\\]/).at(-1)} ${rest.slice(0, 2).join(" ")}`)
    const { code } = await runToEnd(node, [join(root, program), ...rest], { cwd: root })
    if (code !== 0) failures++
  }
  if (!(await generatedIsCurrent(node))) failures++
  if (!sqlNamesAreCurrent()) failures++
  if (!docsColorsAreCurrent()) failures++
  if (!wordsAreCurrent()) failures++
  if (!referencesResolve()) failures++
  if (!foldersAreLayered()) failures++
  console.log(failures === 0 ? "all checks passed" : `${failures} of ${steps.length + 6} checks failed`)
  process.exit(failures === 0 ? 0 : 1)
}

const bench = async (args) => endLike(await runToEnd(findNode(), [join(root, "test", "bench", "main.ts"), ...args]))
const soak = async (args) => endLike(await runToEnd(findNode(), [join(root, "test", "soak", "main.ts"), ...args]))

const format = async (args) => endLike(await runToEnd(findNode(), [join(root, formatting), "write", ...args]))

/** `npm run build:client`, `npm run build:package`: a script that needs the compiler, which a start does not install. */
const build = async ([script, ...args]) => endLike(await runToEnd(findNode(), [join(root, script), ...args]))

const commands = { test, check, bench, soak, format, generate, build }
const [name, ...args] = process.argv.slice(2)
try {
  const command = commands[name]
  if (command === undefined) throw new Error(`Usage: node test/run.mjs ${Object.keys(commands).join("|")} [arguments]`)
  ensureInstalled({ development: true })
  await command(args)
} catch (error) {
  if (name === "test") {
    console.error(error instanceof Error ? error.message : String(error))
    console.log("0 passed, 1 failed, 0 skipped")
    process.exit(1)
  }
  endWith(error)
}
