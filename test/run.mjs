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
import { findChromium } from "./support/chromium.mjs"

const onLinux = (there) => process.platform !== "linux" || there
const inPath = (program) => onLinux(["/usr/bin", "/usr/sbin", "/bin", "/sbin"].some((folder) => existsSync(join(folder, program))))
const libraryFolders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
const isLibrary = (file) => onLinux(libraryFolders.some((folder) => existsSync(join(folder, file))))

/** Any does; the shell alone needs half the CPU, so who may install it has it. */
const hasBrowser = () => {
  const found = findChromium()
  return found !== undefined && (process.getuid?.() !== 0 || found.endsWith("headless-shell") || "CHROMIUM_BIN" in process.env)
}
/** Where a distribution has no such package. */
const inPlaceOf = { "chromium-headless-shell": "chromium" }

/** Debian packages that tests need, by the tests that do: name → whether it, or what does as well, is there. */
const DEBIAN_PACKAGES = {
  console: new Map([
    ["chromium-headless-shell", () => hasBrowser()],
    ["fonts-liberation", () => onLinux(existsSync("/usr/share/fonts/truetype/liberation"))]
  ]),
  devices: new Map([["bubblewrap", () => inPath("bwrap")], ["iproute2", () => inPath("ip")]]),
  /** A real keychain. */
  desktop: new Map([
    ["dbus", () => inPath("dbus-run-session")],
    ["gnome-keyring", () => inPath("gnome-keyring-daemon")],
    ["libsecret-1-0", () => isLibrary("libsecret-1.so.0")],
    ["libsecret-tools", () => inPath("secret-tool")]
  ])
}

const installDebianPackages = (packages) => {
  const missing = [...packages].filter(([, isThere]) => !isThere()).map(([name]) => name)
  if (missing.length === 0) return
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return console.error(`Not installed, so some tests will be skipped: ${missing.join(" ")} (apt-get install ${missing.join(" ")})`)
  }
  console.error(`Installing Debian packages: ${missing.join(" ")}…`)
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  const apt = (...args) => spawnSync("apt-get", ["-qq", ...args], { stdio: ["ignore", "ignore", "inherit"], env }).status === 0
  const install = (names) => apt("install", "-y", "--no-install-recommends", ...names)
  if (apt("update") && (install(missing) || install(missing.map((name) => inPlaceOf[name] ?? name)))) return
  console.error(`apt-get failed, so some tests will be skipped: ${missing.join(" ")}`)
}

const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const playwright = join(root, "node_modules", "@playwright", "test", "cli.js")
const consoleTests = join("test", "e2e", "console")

/** Runs one program of tests. A break-down that no test is blamed for is one failure, so that "0 failed" and exit code 0 go together. */
const runTests = async (args) => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-counts-"))
  const countsFile = join(folder, "counts.json")
  const end = await runToEnd(findNode(), args, { cwd: root, env: { ...process.env, TEST_COUNTS_FILE: countsFile } })
  const written = existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, "utf8")) : { passed: 0, failures: [] }
  rmSync(folder, { recursive: true, force: true })
  const { passed, failures } = written
  const program = args[0].split(/[/\\]/).at(-1)
  if (end.code !== 0 && failures.length === 0) failures.push(`${program} ended with ${end.signal ?? `exit code ${end.code}`}`)
  return { end, passed, failures }
}

const runVitest = (args) => {
  const reporters = ["--reporter=default", `--reporter=${join(root, "test", "support", "counts-reporter.ts")}`]
  return runTests([vitest, "run", ...reporters, ...args])
}

/** The console's tests, in a browser. Without one they are skipped, and say so. */
const runPlaywright = async (args) => {
  if (findChromium() === undefined) {
    console.error(`Skipped: ${consoleTests}, because there is no Chromium (install the package chromium, or set CHROMIUM_BIN)`)
    return { end: { code: 0, signal: null }, passed: 0, failures: [] }
  }
  return runTests([playwright, "test", "-c", consoleTests, ...args])
}

/** A file or folder of the console's tests is for Playwright, any other for vitest; without one both run. */
const test = async (args) => {
  findNode()
  const files = args.filter((arg) => !arg.startsWith("-"))
  const inConsole = (arg) => arg.replaceAll("\\", "/").includes("e2e/console")
  const isOf = (...words) => files.length === 0 || files.some((file) => words.some((word) => file.includes(word)))
  if (isOf("desktop", "device", "second-machine")) installDebianPackages(DEBIAN_PACKAGES.devices)
  const inApp = (arg) => arg.includes("desktop") && !arg.replaceAll("\\", "/").includes("desktop/device")
  if (files.length === 0 || files.some(inApp)) installDebianPackages(DEBIAN_PACKAGES.desktop)
  if (files.some((file) => file.includes("e2e") && inApp(file))) installDebianPackages(DEBIAN_PACKAGES.console)
  const runs = []
  if (files.length === 0 || !files.every(inConsole)) runs.push(() => runVitest(args.filter((arg) => !inConsole(arg))))
  if (files.length === 0 || files.some(inConsole)) {
    installDebianPackages(DEBIAN_PACKAGES.console)
    runs.push(() => runPlaywright(files.length === 0 ? [] : args.filter((arg) => arg.startsWith("-") || inConsole(arg))))
  }
  const results = []
  for (const run of runs) {
    results.push(await run())
    const { code, signal } = results.at(-1).end
    // Told to stop: what has not begun does not.
    if (signal !== null || code > 128) break
  }
  const failures = results.flatMap((result) => result.failures)
  // Once more, below all the rest: whoever sees the end of a long log alone reads here what failed.
  for (const failure of failures) console.log(`FAILED ${failure}`)
  const passed = results.reduce((total, result) => total + result.passed, 0)
  console.log(`${passed} passed, ${failures.length} failed`)
  const worst = results.map(({ end }) => end).find(({ code, signal }) => signal !== null || code !== 0)
  endLike(failures.length === 0 ? { code: 0, signal: null } : worst ?? { code: 1, signal: null })
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
