/**
 * A stub check of packaging: electron-builder packages the built app for this system with a folder in place of
 * Electron. It verifies the configuration's schema, the archive's content, and writing and reading the fuses; it
 * produces no working app.
 */
import { FuseState, FuseV1Options, getCurrentFuseWire } from "@electron/fuses"
import { spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { configurationFor } from "../../../apps/desktop/electron-builder.config.ts"
import { ensureBuilt, out } from "../../support/built-main.ts"

const root = resolve(import.meta.dirname, "../../..")
const isHere = process.platform === "linux" && (process.arch === "x64" || process.arch === "arm64")

let folder = ""
let packaged: { readonly status: number | null; readonly text: string } = { status: null, text: "" }

/** The files that electron-builder expects of Electron, and the fuse wire of an official binary. */
const standIn = (): string => {
  const dist = join(folder, "electron")
  const file = (name: string, text: string | Buffer) => {
    mkdirSync(dirname(join(dist, name)), { recursive: true })
    writeFileSync(join(dist, name), text)
  }
  const sentinel = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX"
  file(
    "electron",
    Buffer.concat([
      Buffer.from("stub, no Electron\n"),
      Buffer.from(sentinel),
      Buffer.from([1, 9]),
      Buffer.from("101100011"),
      Buffer.from("\n")
    ])
  )
  chmodSync(join(dist, "electron"), 0o755)
  file("version", "45.4.1")
  file("LICENSE", "stub")
  file("LICENSES.chromium.html", "stub")
  file("chrome-sandbox", "stub")
  file("locales/en-US.pak", "stub")
  return join(dist, "electron")
}

/** `<size of size> <size> <size> <length> <JSON>`, as Chromium pickles it. */
interface Entry {
  readonly files?: Readonly<Record<string, Entry>>
  readonly unpacked?: boolean
  readonly integrity?: unknown
}
const archive = (path: string): Entry => {
  const bytes = readFileSync(path)
  return JSON.parse(bytes.subarray(16, 16 + bytes.readUInt32LE(12)).toString("utf8")) as Entry
}
const filesOf = (entry: Entry, at = ""): ReadonlyArray<readonly [string, Entry]> =>
  Object.entries(entry.files ?? {}).flatMap(([name, inner]) =>
    inner.files === undefined ? [[`${at}${name}`, inner] as const] : filesOf(inner, `${at}${name}/`)
  )

const walk = (path: string, at = ""): ReadonlyArray<string> =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? walk(join(path, entry.name), `${at}${entry.name}/`) : [`${at}${entry.name}`]
  )

const app = () => join(folder, "dist", process.arch === "arm64" ? "linux-arm64-unpacked" : "linux-unpacked")
const run = (script: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(root, "apps/desktop/scripts", script), ...args],
    { cwd: root, encoding: "utf8", env: { ...process.env, ...env } }
  )
  return { status, text: `${stdout}${stderr}`, stderr }
}

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "packaging-")))
  if (!isHere) return
  ensureBuilt()
  packaged = run("package.ts", ["--dir", "--output", join(folder, "dist")], { ELECTRON_EXEC_PATH: standIn() })
}, 900_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!isHere)(`packaging, a stub check${isHere ? "" : " (skipped: only Linux is tried here)"}`, () => {
  it("passes electron-builder's schema and packages the app's folder", () => {
    assert.strictEqual(packaged.status, 0, packaged.text)
    assert.isTrue(existsSync(join(app(), "countersign")))
  })

  it("the archive contains only the build, package.json, and keytar", () => {
    const files = filesOf(archive(join(app(), "resources", "app.asar")))
    const names = files.map(([name]) => name)
    const built = walk(out).filter((name) => !name.endsWith(".map")).map((name) => `out/${name}`)
    assert.isNotEmpty(built)
    assert.sameMembers(names.filter((name) => name.startsWith("out/")), built)
    for (const part of ["out/main/", "out/preload/", "out/renderer/"]) {
      assert.isTrue(names.some((name) => name.startsWith(part)), part)
    }
    const others = names.filter((name) => !name.startsWith("out/"))
    assert.sameMembers(others.filter((name) => !name.startsWith("node_modules/keytar/")), ["package.json"])
    assert.includeMembers(others, ["node_modules/keytar/package.json", "node_modules/keytar/lib/keytar.js"])
  })

  it("keytar is beside the archive, with only this system's library", () => {
    const keytar = filesOf(archive(join(app(), "resources", "app.asar"))).filter(([name]) =>
      name.startsWith("node_modules/keytar/")
    )
    for (const [name, { unpacked }] of keytar) assert.isTrue(unpacked, name)
    const beside = walk(join(app(), "resources", "app.asar.unpacked"))
    assert.sameMembers([...beside], keytar.map(([name]) => name))
    assert.deepStrictEqual(beside.filter((name) => name.endsWith(".node")), [
      `node_modules/keytar/prebuilds/linux-${process.arch}/keytar.node`
    ])
  })

  it("only the updater's file is outside the archive", () => {
    const beside = walk(join(app(), "resources")).filter((name) => !name.startsWith("app.asar"))
    assert.deepStrictEqual(beside, ["app-update.yml"])
  })

  it("the packaged package.json starts main, with the app's name and without scripts", () => {
    const bytes = readFileSync(join(app(), "resources", "app.asar"))
    const [, entry] = filesOf(archive(join(app(), "resources", "app.asar"))).find(([name]) => name === "package.json")!
    const { offset, size } = entry as { readonly offset: string; readonly size: number }
    const start = 8 + bytes.readUInt32LE(4) + Number(offset)
    const read = JSON.parse(bytes.subarray(start, start + size).toString("utf8")) as Record<string, unknown>
    assert.deepInclude(read, {
      name: "countersign",
      productName: "Countersign",
      main: "out/main/index.js",
      type: "module"
    })
    assert.isUndefined(read["scripts"])
    assert.isUndefined(read["devDependencies"])
  })

  it("E9: writes the fuses into the binary and reads them back", async () => {
    assert.match(packaged.text, /fuses read back/u)
    const wire = await getCurrentFuseWire(join(app(), "countersign"))
    const off = [
      FuseV1Options.RunAsNode,
      FuseV1Options.EnableNodeOptionsEnvironmentVariable,
      FuseV1Options.EnableNodeCliInspectArguments,
      FuseV1Options.GrantFileProtocolExtraPrivileges
    ]
    const on = [
      FuseV1Options.EnableCookieEncryption,
      FuseV1Options.OnlyLoadAppFromAsar,
      FuseV1Options.EnableEmbeddedAsarIntegrityValidation
    ]
    for (const fuse of off) assert.strictEqual(wire[fuse], FuseState.DISABLE, FuseV1Options[fuse])
    for (const fuse of on) assert.strictEqual(wire[fuse], FuseState.ENABLE, FuseV1Options[fuse])
  })

  it("reports an error in one line", () => {
    const { status, stderr } = run("package.ts", ["--dir", "--output", join(folder, "none")], {
      ELECTRON_EXEC_PATH: join(folder, "electron", "electron"),
      COUNTERSIGN_UPDATE_FEED: "http://updates.example"
    })
    assert.strictEqual(status, 1)
    assert.deepStrictEqual(stderr.trim().split("\n"), [
      "Cannot package the desktop app: COUNTERSIGN_UPDATE_FEED is no https address of a folder: http://updates.example"
    ])
  })
})

describe("packaging without Electron", () => {
  it("reports a missing Electron in one line, and exits with 3", () => {
    const { status, stderr } = run("desktop.mjs", ["package"], { ELECTRON_EXEC_PATH: join(folder, "nothing") })
    assert.strictEqual(status, 3)
    assert.strictEqual(
      stderr,
      `Cannot package the desktop app: ELECTRON_EXEC_PATH is set to ${join(folder, "nothing")}, which does not exist.\n`
    )
  })
})

describe("the packaging configuration", () => {
  const facts = { platform: "linux", arch: "x64", environment: {} } as const

  it("E15: has no feed until one is given, and accepts only HTTPS", () => {
    assert.isNull(configurationFor(facts).publish)
    assert.deepStrictEqual(
      configurationFor({ ...facts, environment: { COUNTERSIGN_UPDATE_FEED: "https://updates.example/x" } }).publish,
      { provider: "generic", url: "https://updates.example/x" }
    )
    assert.throws(
      () => configurationFor({ ...facts, environment: { COUNTERSIGN_UPDATE_FEED: "http://updates.example/x" } }),
      /no https address/u
    )
  })

  it("E15: packages the public key that verifies updates, and no other key", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const key = join(folder, "key.pem")
    const environment = { COUNTERSIGN_UPDATE_KEY: key }
    writeFileSync(key, publicKey.export({ format: "pem", type: "spki" }))
    assert.deepInclude(configurationFor({ ...facts, environment }).extraResources, { from: key, to: "update-key.pem" })
    writeFileSync(key, privateKey.export({ format: "pem", type: "pkcs8" }))
    assert.throws(() => configurationFor({ ...facts, environment }), /public half/u)
    writeFileSync(
      key,
      generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "pem", type: "spki" })
    )
    assert.throws(() => configurationFor({ ...facts, environment }), /Ed25519/u)
  })

  it("notarizes only with Apple credentials; the hardened runtime is always on", () => {
    assert.deepInclude(configurationFor(facts).mac, { hardenedRuntime: true, notarize: false })
    assert.deepInclude(configurationFor({ ...facts, environment: { APPLE_API_KEY: "/key.p8" } }).mac, {
      hardenedRuntime: true,
      notarize: true
    })
    for (const name of ["entitlements", "entitlementsInherit"] as const) {
      assert.isTrue(existsSync(configurationFor(facts).mac![name]!))
    }
  })

  it("builds AppImage and deb, dmg and zip, and an installer for Windows; each opens countersign links", () => {
    const { linux, mac, protocols, win } = configurationFor(facts)
    assert.deepStrictEqual([linux?.target, mac?.target, win?.target], [["AppImage", "deb"], ["dmg", "zip"], ["nsis"]])
    assert.deepStrictEqual(protocols, [{ name: "Countersign", schemes: ["countersign"] }])
    for (const { icon } of [linux!, mac!, win!]) assert.isTrue(existsSync(icon as string))
  })

  it("E15: pins Electron and its packaging tools exactly", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly devDependencies: Readonly<Record<string, string>>
    }
    for (const name of ["electron", "electron-builder", "electron-updater", "@electron/fuses"]) {
      assert.match(devDependencies[name] ?? "", /^\d+\.\d+\.\d+$/u, name)
    }
    assert.strictEqual(configurationFor(facts).electronVersion, devDependencies["electron"])
    const installed = JSON.parse(readFileSync(join(root, "node_modules", "electron", "package.json"), "utf8")) as {
      readonly version: string
    }
    assert.strictEqual(installed.version, devDependencies["electron"])
  })
})
