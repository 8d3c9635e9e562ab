/**
 * The scripts that start the hub, in a small separate project, with a program instead of the hub that reports what it
 * receives.
 */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { brotliDecompressSync, gunzipSync } from "node:zlib"

const repository = dirname(dirname(dirname(import.meta.dirname)))
const scripts = join(repository, "apps", "hub", "scripts")

const program = `
const [command] = process.argv.slice(2)
let signals = 0
let left = false
const drain = () => { console.log("drained after " + signals); process.exit(0) }
if (command === "start") {
  for (const name of ["SIGTERM", "SIGINT"]) process.on(name, () => { signals++; console.log(name); if (left) drain() })
  process.stdin.on("data", drain)
  // who started the wrapper closes its input when the wrapper is gone, perhaps before the signal is here
  process.stdin.on("end", () => { left = true; if (signals > 0) drain(); else setInterval(() => {}, 1000) })
}
console.log("args " + process.argv.slice(2).join(" ") + " in " + process.pid)
if (command === "flags") console.log(process.execArgv.join(" "))
if (command === "seven") process.exit(7)
if (command === "die") process.kill(process.pid, "SIGKILL")
`

const created: Array<string> = []
const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill("SIGKILL")
  running.clear()
  for (const root of created.splice(0)) rmSync(root, { recursive: true, force: true })
})

const lock = (packages: object) => JSON.stringify({ packages })

/** `installed`: the packages in npm's record of the installation; `wanted`: the packages in package-lock.json. */
const project = ({ installed, wanted }: { readonly wanted: object; readonly installed?: object }): string => {
  const root = mkdtempSync(join(tmpdir(), "cs-test-"))
  created.push(root)
  cpSync(scripts, join(root, "apps", "hub", "scripts"), { recursive: true })
  mkdirSync(join(root, "apps", "hub", "src"), { recursive: true })
  writeFileSync(join(root, "apps", "hub", "src", "main.ts"), program)
  writeFileSync(join(root, "package.json"), `{ "type": "module" }`)
  writeFileSync(join(root, "package-lock.json"), lock(wanted))
  const bin = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin")
  mkdirSync(bin, { recursive: true })
  symlinkSync(process.execPath, join(bin, "node"))
  if (installed !== undefined) writeFileSync(join(root, "node_modules", ".package-lock.json"), lock(installed))
  return root
}
const ready = { wanted: { "": {} }, installed: {} }

/** The wrapper, as the leader of a separate process group. */
const run = (
  root: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = {},
  prefix: ReadonlyArray<string> = []
) => {
  const [program = "", ...more] = [
    ...prefix,
    process.execPath,
    join(root, "apps", "hub", "scripts", "hub.mjs"),
    ...args
  ]
  const child = spawn(program, more, {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  running.add(child)
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of waiting) look()
  }
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line)
      wake()
    })
  }
  const end = new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve) =>
    child.once("close", (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
      wake()
    })
  )
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = lines.find((text) => pattern.test(text))
        if (found !== undefined) resolve(found)
        else if (!running.has(child)) reject(new Error(`no line like ${pattern}: ${lines.join(" | ")}`))
        else return
        waiting.delete(look)
      }
      waiting.add(look)
      look()
    })
  return { pid: child.pid ?? 0, lines, line, end, drain: () => child.stdin.write("go\n") }
}

describe("the wrapper of the hub", () => {
  it("passes arguments on and ends with the program's exit code", async () => {
    const root = project(ready)
    const hub = run(root, ["seven", "of", "nine"])
    assert.deepStrictEqual(await hub.end, { code: 7, signal: null })
    assert.match(hub.lines.join("\n"), /^args seven of nine in \d+$/)
  })

  it("limits the space for short-lived objects, unless NODE_OPTIONS does; the container, without it, has the same limit", async () => {
    const flags = async (env: NodeJS.ProcessEnv) => {
      const hub = run(project(ready), ["flags"], env)
      assert.strictEqual((await hub.end).code, 0)
      return hub.lines.at(-1)
    }
    assert.strictEqual(await flags({}), "--max-semi-space-size=16 --min-semi-space-size=16")
    assert.strictEqual(await flags({ NODE_OPTIONS: "--max-semi-space-size=8" }), "")
    const container = readFileSync(join(repository, "resources", "deploy", "Containerfile"), "utf8")
    assert.include(container, " NODE_OPTIONS=--max-semi-space-size=16 ")
  })

  it("ends as a shell would when a signal killed the program", async () => {
    assert.deepStrictEqual(await run(project(ready), ["die"]).end, { code: 137, signal: null })
  })

  it("lets the program drain on a signal to the whole group, and waits for its exit code", async () => {
    const hub = run(project(ready), ["start"])
    await hub.line(/^args/)
    process.kill(-hub.pid, "SIGTERM")
    await hub.line(/^SIGTERM$/)
    process.kill(-hub.pid, "SIGINT")
    await hub.line(/^SIGINT$/)
    hub.drain()
    await hub.line(/^drained/)
    assert.deepStrictEqual(await hub.end, { code: 0, signal: null })
  })

  it("passes a signal to the wrapper alone on once, for all repetitions in that second", async () => {
    const hub = run(project(ready), ["start"])
    await hub.line(/^args/)
    for (let i = 0; i < 5; i++) process.kill(hub.pid, "SIGTERM")
    await hub.line(/^SIGTERM$/)
    process.kill(hub.pid, "SIGTERM")
    process.kill(hub.pid, "SIGINT")
    await hub.line(/^SIGINT$/)
    hub.drain()
    assert.strictEqual(await hub.line(/^drained/), "drained after 2")
    assert.deepStrictEqual(await hub.end, { code: 0, signal: null })
  })

  it.runIf(process.platform === "linux")(
    "ends the program with a killed wrapper, by a signal that lets it drain",
    async () => {
      const hub = run(project(ready), ["start"])
      await hub.line(/^args/)
      process.kill(hub.pid, "SIGKILL")
      await hub.line(/^SIGTERM$/)
      // the kernel may send it once for each thread of the wrapper
      await hub.line(/^drained after [1-9]$/)
    }
  )
})

describe("the packages", () => {
  const wanted = { "": {}, "node_modules/effect": { version: "4.1.0", integrity: "sha512-a" } }
  /** Replaces npm: records that it ran, and writes the file that npm writes last. */
  const npm = (root: string, result: object, code = 0) => {
    const file = join(root, "npm-cli.js")
    writeFileSync(
      file,
      `
      import { appendFileSync, writeFileSync } from "node:fs"
      appendFileSync(${JSON.stringify(join(root, "ran"))}, process.argv.slice(2).join(" ") + "\\n")
      writeFileSync(${JSON.stringify(join(root, "node_modules", ".package-lock.json"))}, ${
        JSON.stringify(lock(result))
      })
      process.exit(${code})`
    )
    return { npm_execpath: file }
  }
  const present = { "node_modules/effect": wanted["node_modules/effect"] }

  it("are not changed when they match package-lock.json", async () => {
    const root = project({ wanted, installed: present })
    assert.strictEqual((await run(root, ["ok"], npm(root, {})).end).code, 0)
    assert.isFalse(existsSync(join(root, "ran")))
  })

  it.each([
    ["missing", undefined],
    ["of another version", { "node_modules/effect": { version: "3.0.0", integrity: "sha512-a" } }],
    ["of another content", { "node_modules/effect": { version: "4.1.0", integrity: "sha512-b" } }]
  ])("are installed when they are %s, and one line reports it", async (_, installed) => {
    const root = project({ wanted, ...(installed === undefined ? {} : { installed }) })
    const hub = run(root, ["ok"], npm(root, present))
    assert.strictEqual((await hub.end).code, 0)
    assert.strictEqual(hub.lines.length, 2)
    assert.match(hub.lines[0] ?? "", /npm ci/)
    assert.isTrue(existsSync(join(root, "ran")))
  })

  it("are required by platform: packages that npm skips elsewhere are not missing, the server's package is", async () => {
    const optional = { version: "1", optional: true }
    const elsewhere = {
      "node_modules/a": { ...optional, os: ["nowhere"] },
      "node_modules/b": { ...optional, cpu: "wasm32" },
      "node_modules/c": optional
    }
    const fine = project({ wanted: { "": { optionalDependencies: { a: "1" } }, ...elsewhere }, installed: {} })
    assert.strictEqual((await run(fine, ["ok"], npm(fine, {}, 1)).end).code, 0)
    const here = { "node_modules/d": { ...optional, os: [process.platform], cpu: [process.arch] } }
    const lacking = project({ wanted: { "": { optionalDependencies: { d: "1" } }, ...here }, installed: {} })
    assert.strictEqual((await run(lacking, ["ok"], npm(lacking, here)).end).code, 0)
    assert.isTrue(existsSync(join(lacking, "ran")))
  })

  it("that only tests need are left out of a start, and added to the existing ones when tests run", async () => {
    const dev = { "node_modules/vitest": { version: "5.1.1", integrity: "sha512-c", dev: true } }
    const root = project({ wanted: { ...wanted, ...dev } })
    assert.strictEqual((await run(root, ["ok"], npm(root, present)).end).code, 0)
    const asked = () => readFileSync(join(root, "ran"), "utf8").trim().split("\n")
    assert.match(asked()[0] ?? "", /^ci --omit=dev /)
    const installation = pathToFileURL(join(root, "apps", "hub", "scripts", "installation.mjs")).href
    const install = `const { ensureInstalled } = await import(${
      JSON.stringify(installation)
    }); ensureInstalled({ development: true })`
    const done = spawnSync(process.execPath, ["--input-type=module", "-e", install], {
      env: { ...process.env, ...npm(root, { ...present, ...dev }) }
    })
    assert.strictEqual(done.status, 0, String(done.stderr))
    assert.match(asked()[1] ?? "", /^install --no-save --include=dev /)
    // The packages that a start needs are installed, so it works.
    assert.strictEqual((await run(root, ["ok"], npm(root, {}, 1)).end).code, 0)
    assert.lengthOf(asked(), 2)
  })

  it("that cannot be installed end the start with one line and exit code 1", async () => {
    const root = project({ wanted })
    const hub = run(root, ["ok"], npm(root, {}, 3))
    assert.deepStrictEqual(await hub.end, { code: 1, signal: null })
    assert.strictEqual(hub.lines.length, 2)
    assert.match(hub.lines[1] ?? "", /npm ci could not install the packages of package-lock\.json: .*3/)
  })

  it("that this user may not install end the start with one line that says who installs them, without npm", async () => {
    const root = project({ wanted })
    const modules = join(root, "node_modules")
    chmodSync(modules, 0o555)
    // Root may write everywhere, except without this capability.
    const prefix = process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override", "--"] : []
    const hub = run(root, ["start"], npm(root, present), prefix)
    assert.strictEqual((await hub.end).code, 1)
    chmodSync(modules, 0o755)
    const [, line = "", ...more] = hub.lines
    assert.deepStrictEqual(more, [])
    assert.include(
      (JSON.parse(line) as { readonly message: string }).message,
      `are missing, and this user cannot write to ${modules}: run npm ci in ${root} as its owner`
    )
    assert.isFalse(existsSync(join(root, "ran")))
  })
})

describe("the console", () => {
  /**
   * Replaces Vite: records that it ran, and writes an index of the files it finds; fails on a source that requests it.
   */
  const vite = (ran: string) => `
    import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
    import { join } from "node:path"
    const [, , command, ui, , out] = process.argv
    appendFileSync(${JSON.stringify(ran)}, command + "\\n")
    const source = readFileSync(join(ui, "src", "main.tsx"), "utf8")
    if (source.includes("broken")) { console.error("main.tsx is broken\\n  at line 1"); process.exit(1) }
    mkdirSync(join(out, "assets"))
    writeFileSync(join(out, "index.html"), source)
    writeFileSync(join(out, "assets", "main.js"), "x".repeat(5_000))`

  const withConsole = (source = "one") => {
    const root = project(ready)
    const ui = join(root, "packages", "ui")
    mkdirSync(join(ui, "src"), { recursive: true })
    for (const name of ["domain", "hub-client"]) mkdirSync(join(root, "packages", name, "src"), { recursive: true })
    writeFileSync(join(root, "tsconfig.base.json"), "{}")
    writeFileSync(join(ui, "index.html"), "")
    writeFileSync(join(ui, "src", "main.tsx"), source)
    mkdirSync(join(root, "node_modules", "vite", "bin"), { recursive: true })
    writeFileSync(join(root, "node_modules", "vite", "bin", "vite.js"), vite(join(root, "ran")))
    const built = (file: string) => join(ui, "dist", file)
    return {
      root,
      built,
      write: (source: string) => writeFileSync(join(ui, "src", "main.tsx"), source),
      runs: () => existsSync(join(root, "ran")) ? readFileSync(join(root, "ran"), "utf8").trim().split("\n").length : 0,
      left: () => readdirSync(ui).sort()
    }
  }

  /** Starts the hub, waits until it drained and ended. */
  const start = async (root: string): Promise<ReadonlyArray<string>> => {
    const hub = run(root, ["start"])
    await hub.line(/^args start/)
    process.kill(hub.pid, "SIGTERM")
    await hub.line(/^SIGTERM$/)
    hub.drain()
    assert.deepStrictEqual(await hub.end, { code: 0, signal: null })
    return hub.lines.filter((line) => !/^(args|SIGTERM|drained)/.test(line))
  }

  it("is built at the first start with one line, not at the next, and again after a change of its sources", async () => {
    const { built, left, root, runs, write } = withConsole()
    const [line, ...more] = await start(root)
    // Off a terminal, every line is JSON.
    assert.match((JSON.parse(line ?? "") as { readonly message: string }).message, /^Building the console/)
    assert.deepStrictEqual(more, [])
    assert.strictEqual(readFileSync(built("index.html"), "utf8"), "one")
    assert.strictEqual(gunzipSync(readFileSync(built("assets/main.js.gz"))).length, 5_000)
    assert.strictEqual(brotliDecompressSync(readFileSync(built("assets/main.js.br"))).length, 5_000)
    assert.deepStrictEqual(await start(root), [])
    assert.strictEqual(runs(), 1)
    write("two")
    assert.lengthOf(await start(root), 1)
    assert.strictEqual(readFileSync(built("index.html"), "utf8"), "two")
    assert.deepStrictEqual([runs(), left()], [2, ["dist", "index.html", "src"]])
  })

  it("is built once by two concurrent starts", async () => {
    const { root, runs } = withConsole()
    await Promise.all([start(root), start(root)])
    assert.strictEqual(runs(), 1)
  })

  it("does not stop the hub from starting when its build fails, and the previous one stays", async () => {
    const { built, left, root, write } = withConsole("broken")
    const without = await start(root)
    assert.match(without[1] ?? "", /could not be built, the hub starts without it: main.tsx is broken/)
    write("fine")
    await start(root)
    write("broken again")
    const older = await start(root)
    assert.match(older[1] ?? "", /could not be built, an older one is served: main.tsx is broken/)
    assert.strictEqual(readFileSync(built("index.html"), "utf8"), "fine")
    assert.deepStrictEqual(left(), ["dist", "index.html", "src"])
    rmSync(join(root, "node_modules", "vite"), { recursive: true })
    assert.match((await start(root)).join(" "), /Vite is not installed/)
  })
})
