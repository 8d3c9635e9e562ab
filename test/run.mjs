/**
 * `npm test`, `npm run check`, `npm run bench`: installs what is missing, then runs the work under Node 24.
 * Plain JavaScript for the system's own Node (20 or later). The last line of `test` is always `N passed, N failed`.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureInstalled, findNode, root } from "../apps/hub/scripts/installation.mjs"
import { endLike, endWith, runToEnd } from "../apps/hub/scripts/process.mjs"

/** Debian packages that tests need: name → a file that shows it is there. None at present. */
const DEBIAN_PACKAGES = new Map([])

const installDebianPackages = () => {
  const missing = [...DEBIAN_PACKAGES].filter(([, file]) => !existsSync(file)).map(([name]) => name)
  if (missing.length === 0) return
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return console.error(`Not installed, so some tests will be skipped: ${missing.join(" ")}`)
  }
  console.error(`Installing Debian packages: ${missing.join(" ")}…`)
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  const apt = (...args) => spawnSync("apt-get", ["-qq", ...args], { stdio: ["ignore", "ignore", "inherit"], env }).status === 0
  if (!apt("update") || !apt("install", "-y", "--no-install-recommends", ...missing)) {
    console.error(`apt-get failed, so some tests will be skipped: ${missing.join(" ")}`)
  }
}

const vitest = join(root, "node_modules", "vitest", "vitest.mjs")

const test = async (args) => {
  const node = findNode()
  installDebianPackages()
  const folder = mkdtempSync(join(tmpdir(), "countersign-counts-"))
  const countsFile = join(folder, "counts.json")
  const reporters = ["--reporter=default", `--reporter=${join(root, "test", "support", "counts-reporter.ts")}`]
  const end = await runToEnd(node, [vitest, "run", ...reporters, ...args], {
    cwd: root,
    env: { ...process.env, TEST_COUNTS_FILE: countsFile }
  })
  const written = existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, "utf8")) : { passed: 0, failed: 0 }
  rmSync(folder, { recursive: true, force: true })
  // a run that broke down outside a test is one failure, so that "0 failed" and exit code 0 always go together
  const failed = end.code === 0 ? written.failed : Math.max(written.failed, 1)
  console.log(`${written.passed} passed, ${failed} failed`)
  endLike(failed === 0 ? end : { code: end.code || 1, signal: null })
}

const projects = () =>
  ["packages", "apps"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name)))
    .concat("test")
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(folder, file)))
    .filter((file) => /(^|[/\\])tsconfig(\.[\w-]+)?\.json$/.test(file))

/** Files that a command writes, with the command: `npm run -s hub -- openapi > resources/openapi.json`. */
const generatedIsCurrent = (node) => {
  const file = join(root, "resources", "openapi.json")
  console.log("generated resources/openapi.json")
  const made = spawnSync(node, [join(root, "apps", "hub", "src", "main.ts"), "openapi"], { encoding: "utf8", maxBuffer: 1 << 26 })
  if (made.status === 0 && existsSync(file) && made.stdout === readFileSync(file, "utf8")) return true
  console.error("resources/openapi.json is not what the contract says now: npm run -s hub -- openapi > resources/openapi.json")
  return false
}

const check = async (args) => {
  const node = findNode()
  const steps = [
    ...projects().map((project) => [join("typescript", "bin", "tsc"), "-p", project]),
    [join("oxlint", "bin", "oxlint"), "--deny-warnings", ...args]
  ]
  let failures = 0
  for (const [program, ...rest] of steps) {
    console.log(`${program.split(/[/\\]/).at(-1)} ${rest.join(" ")}`)
    const { code } = await runToEnd(node, [join(root, "node_modules", program), ...rest], { cwd: root })
    if (code !== 0) failures++
  }
  if (!generatedIsCurrent(node)) failures++
  console.log(failures === 0 ? "all checks passed" : `${failures} of ${steps.length + 1} checks failed`)
  process.exit(failures === 0 ? 0 : 1)
}

const bench = async (args) => endLike(await runToEnd(findNode(), [join(root, "test", "bench", "main.ts"), ...args]))

const commands = { test, check, bench }
const [name, ...args] = process.argv.slice(2)
try {
  const command = commands[name]
  if (command === undefined) throw new Error(`Usage: node test/run.mjs ${Object.keys(commands).join("|")} [arguments]`)
  ensureInstalled({ development: true })
  await command(args)
} catch (error) {
  if (name === "test") {
    console.error(error instanceof Error ? error.message : String(error))
    console.log("0 passed, 1 failed")
    process.exit(1)
  }
  endWith(error)
}
