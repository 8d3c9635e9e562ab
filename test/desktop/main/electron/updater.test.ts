/**
 * E15: the real electron-updater behind the port, with a TLS feed on this computer. Only Electron is replaced: its
 * `app` by a stub, its network by Node's, which applies the session's blocked addresses. The AppImage is a script.
 */
import { type UpdaterLibrary, type UpdaterParts, updaterParts } from "@countersign/desktop/main/electron/updater"
import { signUpdate } from "@countersign/desktop/main/updates/signature"
import { makeUpdates, type UpdatesOptions } from "@countersign/desktop/main/updates/updates"
import { AppImageUpdater } from "electron-updater"
import { spawnSync } from "node:child_process"
import { createHash, generateKeyPairSync } from "node:crypto"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import http from "node:http"
import https from "node:https"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { certificate, key } from "../../../support/tls.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- electron-updater's inner parts
type Any = any
const { HttpExecutor } = createRequire(createRequire(import.meta.url).resolve("electron-updater"))(
  "builder-util-runtime"
) as { readonly HttpExecutor: new() => object }

const isLinux = process.platform === "linux"
const served = new Map<string, (response: http.ServerResponse) => void>()
const asked: Array<string> = []
const answer: http.RequestListener = (request, response) => {
  const { pathname } = new URL(request.url ?? "/", "https://tls.example")
  asked.push(pathname)
  const found = served.get(pathname)
  if (found !== undefined) return found(response)
  response.writeHead(404)
  response.end()
}
const secure = https.createServer({ key, cert: certificate }, answer)
const plain = http.createServer(answer)
const portOf = (server: http.Server | https.Server) => (server.address() as AddressInfo).port

let folder = ""
const appImage = () => join(folder, "Countersign.AppImage")
/** The script of an AppImage, which records its version when it is started. */
const program = (version: string) => `#!/bin/sh\necho ${version} > "${join(folder, "ran")}"\n`
const sha512 = (text: string) => createHash("sha512").update(text).digest("base64")
const bytes = (text: string) => (response: http.ServerResponse) => {
  response.setHeader("content-length", Buffer.byteLength(text))
  response.end(text)
}
const channel = `/feed/latest-linux${process.arch === "x64" ? "" : `-${process.arch}`}.yml`
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const pem = { format: "pem", type: "spki" } as const
const channelText = (version: string, file: string, hash: string) =>
  `version: ${version}\nfiles:\n  - url: ${file}\n    sha512: ${hash}\n    size: ${
    program(version).length
  }\npath: ${file}\nsha512: ${hash}\nreleaseDate: '2026-01-01T00:00:00.000Z'\n`
const publish = (
  version: string,
  { file = `Countersign-${version}.AppImage`, hash = sha512(program(version)), signer = privateKey, more = "" } = {}
) => {
  const signature = signUpdate({ version, files: [{ url: file, sha512: hash }] }, signer)
  served.set(channel, bytes(`${channelText(version, file, hash)}signature: ${signature}\n${more}`))
  served.set(`/feed/Countersign-${version}.AppImage`, bytes(program(version)))
}

beforeAll(async () => {
  for (const server of [secure, plain]) await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens))
})
afterAll(() => {
  for (const server of [secure, plain]) server.close()
})
const environment = { ...process.env }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "updates-"))
  writeFileSync(join(folder, "update-key.pem"), publicKey.export(pem))
  writeFileSync(appImage(), program("0.1.0"))
  chmodSync(appImage(), 0o755)
  process.env["APPIMAGE"] = appImage()
  served.clear()
  asked.length = 0
})
afterEach(() => {
  process.env = { ...environment }
  rmSync(folder, { recursive: true, force: true })
})

/** The part of Electron's session that blocks requests. */
const makeSession = () => {
  const refused: Array<RegExp> = []
  return {
    refuses: (url: string) => refused.some((pattern) => pattern.test(url)),
    webRequest: {
      onBeforeRequest: (
        { urls }: { readonly urls: ReadonlyArray<string> },
        listener: (_: unknown, answer: (response: { readonly cancel?: boolean }) => void) => void
      ) =>
        listener({}, ({ cancel }) => {
          if (cancel === true) refused.push(...urls.map((url) => new RegExp(`^${url.replaceAll("*", ".*")}$`, "u")))
        })
    }
  }
}

class NodeExecutor extends HttpExecutor {
  readonly session: ReturnType<typeof makeSession>
  constructor(session: ReturnType<typeof makeSession>) {
    super()
    this.session = session
  }
  createRequest(options: Any, callback: Any) {
    const url = `${options.protocol}//${options.hostname}${
      options.port === undefined ? "" : `:${options.port}`
    }${options.path}`
    const client = options.protocol === "http:" ? http : https
    const lookup = (_: string, { all }: { readonly all?: boolean }, done: Any) =>
      all === true ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4)
    const request = client.request({ ...options, lookup, ca: certificate, agent: false }, callback)
    if (this.session.refuses(url)) request.destroy(new Error("net::ERR_BLOCKED_BY_CLIENT"))
    return request
  }
  async download(url: URL, destination: string, options: Any) {
    return await options.cancellationToken.createPromise((done: Any, fails: Any, onCancel: Any) => {
      const request = {
        headers: options.headers,
        protocol: url.protocol,
        hostname: url.hostname,
        port: url.port,
        path: url.pathname
      }
      ;(this as Any).doDownload(request, {
        destination,
        options,
        onCancel,
        callback: (error: unknown) => error == null ? done(destination) : fails(error),
        responseHandler: null
      }, 0)
    })
  }
}

const world = (more: Partial<UpdatesOptions> = {}) => {
  const quitListeners: Array<(code: number) => void> = []
  const logged: Array<string> = []
  const session = makeSession()
  const library = async (): Promise<UpdaterLibrary> => {
    const updater = new AppImageUpdater(null, {
      version: "0.1.0",
      name: "countersign",
      isPackaged: true,
      appUpdateConfigPath: resolve(import.meta.dirname, "../../../../resources/desktop/app-update.yml"),
      userDataPath: folder,
      baseCachePath: join(folder, "cache"),
      whenReady: () => Promise.resolve(),
      relaunch: () => {},
      quit: () => {},
      onQuit: (listener: (code: number) => void) => quitListeners.push(listener)
    } as Any)
    ;(updater as Any).httpExecutor = new NodeExecutor(session)
    Object.defineProperty(updater, "netSession", { value: session })
    return updater as never
  }
  const app = { isPackaged: true, getVersion: () => "0.1.0", releaseSingleInstanceLock: () => {} }
  const parts = updaterParts({
    app,
    platform: "linux",
    environment: process.env,
    resources: folder,
    log: (event, detail) => logged.push(`${event} ${detail}`),
    library
  })
  const updates = makeUpdates({
    ...parts,
    device: { isIdle: () => true, subscribe: () => () => {} },
    after: () => () => {},
    random: () => 0,
    now: () => 0,
    log: () => {},
    ...more
  })
  return {
    updates,
    logged,
    check: async () => {
      updates.setFeed(`https://tls.example:${portOf(secure)}/feed`)
      await updates.check()
      return updates.state()
    },
    quit: () => {
      for (const listener of quitListeners) listener(0)
    }
  }
}

describe.skipIf(!isLinux)(
  `E15: electron-updater against a feed over TLS${isLinux ? "" : " (skipped: an AppImage is Linux's)"}`,
  () => {
    it("downloads a newer version, verifies it, and replaces the AppImage at quit", async () => {
      publish("0.2.0")
      const { check, quit } = world()
      assert.deepStrictEqual(await check(), { phase: "ready", version: "0.2.0", waits: false })
      assert.strictEqual(readFileSync(appImage(), "utf8"), program("0.1.0"))
      assert.isTrue(existsSync(join(folder, "cache", "countersign-updater", "pending", "Countersign-0.2.0.AppImage")))
      quit()
      assert.strictEqual(readFileSync(appImage(), "utf8"), program("0.2.0"))
      assert.strictEqual(readFileSync(join(folder, "ran"), "utf8"), "0.2.0\n")
    })

    it("changes nothing at quit while the device runs a command", async () => {
      publish("0.2.0")
      const { check, quit } = world({ device: { isIdle: () => false, subscribe: () => () => {} } })
      assert.strictEqual((await check()).phase, "ready")
      quit()
      assert.strictEqual(readFileSync(appImage(), "utf8"), program("0.1.0"))
      assert.isFalse(existsSync(join(folder, "ran")))
    })

    it("ignores an older version and the same version", async () => {
      for (const version of ["0.0.9", "0.1.0"]) {
        publish(version)
        assert.strictEqual((await world().check()).phase, "idle", version)
        assert.notInclude(asked, `/feed/Countersign-${version}.AppImage`)
      }
    })

    it("rejects a file with another hash than the feed's", async () => {
      publish("0.2.0", { hash: sha512("another") })
      const state = await world().check()
      assert.strictEqual(state.phase, "failed")
      assert.match(state.phase === "failed" ? state.reason : "", /sha512 checksum mismatch/u)
      assert.isFalse(existsSync(join(folder, "cache", "countersign-updater", "pending", "Countersign-0.2.0.AppImage")))
    })

    it("accepts only the package key's signature: not another key's, none missing, none of another update", async () => {
      const reason = async () => {
        const state = await world().check()
        assert.notInclude(asked, "/feed/Countersign-0.2.0.AppImage")
        return state.phase === "failed" ? state.reason : state.phase
      }
      publish("0.2.0", { signer: generateKeyPairSync("ed25519").privateKey })
      assert.strictEqual(await reason(), "the feed's 0.2.0 is not signed with this app's key")
      const file = "Countersign-0.2.0.AppImage"
      const hash = sha512(program("0.2.0"))
      served.set(channel, bytes(channelText("0.2.0", file, hash)))
      assert.strictEqual(await reason(), "the feed's 0.2.0 is not signed")
      const ofAnother = signUpdate({ version: "0.2.0", files: [{ url: file, sha512: sha512("another") }] }, privateKey)
      served.set(channel, bytes(`${channelText("0.2.0", file, hash)}signature: ${ofAnother}\n`))
      assert.strictEqual(await reason(), "the feed's 0.2.0 is not signed with this app's key")
      writeFileSync(join(folder, "update-key.pem"), "no key")
      publish("0.2.0")
      assert.notStrictEqual(await reason(), "ready")
    })

    it("accepts an update that the signing script signed", async () => {
      writeFileSync(join(folder, "private.pem"), privateKey.export({ format: "pem", type: "pkcs8" }))
      const file = join(folder, "latest-linux.yml")
      writeFileSync(file, channelText("0.2.0", "Countersign-0.2.0.AppImage", sha512(program("0.2.0"))))
      const script = resolve(import.meta.dirname, "../../../../apps/desktop/scripts/sign-update.ts")
      const { status, stderr } = spawnSync(process.execPath, [script, join(folder, "private.pem"), file], {
        encoding: "utf8"
      })
      assert.strictEqual(status, 0, stderr)
      publish("0.2.0")
      served.set(channel, bytes(readFileSync(file, "utf8")))
      assert.strictEqual((await world().check()).phase, "ready")
    })

    it("downloads nothing over plain HTTP, by the feed or by a redirect", async () => {
      const address = `http://tls.example:${portOf(plain)}/feed/Countersign-0.2.0.AppImage`
      publish("0.2.0", { file: address })
      assert.deepStrictEqual(await world().check(), {
        phase: "failed",
        reason: "a file of 0.2.0 is not behind https",
        since: 0
      })
      publish("0.2.0")
      served.set("/feed/Countersign-0.2.0.AppImage", (response) => {
        response.writeHead(302, { location: address.replace("/feed/", "/plain/") })
        response.end()
      })
      served.set("/plain/Countersign-0.2.0.AppImage", bytes(program("0.2.0")))
      const state = await world().check()
      assert.match(state.phase === "failed" ? state.reason : state.phase, /ERR_BLOCKED_BY_CLIENT/u)
      assert.notInclude(asked, "/plain/Countersign-0.2.0.AppImage")
    })

    it("reports a missing feed and an untrusted certificate", async () => {
      const missing = await world().check()
      assert.match(missing.phase === "failed" ? missing.reason : missing.phase, /Cannot find channel/u)
      const { updates } = world()
      updates.setFeed(`https://other.example:${portOf(secure)}/feed`)
      await updates.check()
      const other = updates.state()
      assert.match(other.phase === "failed" ? other.reason : other.phase, /altnames/u)
    })

    it("offers a staged update only to its share of installations", async () => {
      publish("0.2.0", { more: "stagingPercentage: 0\n" })
      assert.strictEqual((await world().check()).phase, "idle")
    })
  }
)

describe("E15: which installation updates itself", () => {
  const parts = (more: Partial<UpdaterParts>) =>
    updaterParts({
      app: { isPackaged: true, getVersion: () => "0.1.0", releaseSingleInstanceLock: () => {} },
      platform: "linux",
      environment: {},
      resources: folder,
      log: () => {},
      library: () => Promise.reject(new Error("not loaded before it is needed")),
      ...more
    })

  it("is refused when run from sources, installed by a package manager, or unable to verify updates", () => {
    assert.strictEqual(
      parts({ app: { isPackaged: false, getVersion: () => "0.1.0", releaseSingleInstanceLock: () => {} } }).obstacle,
      "not_packaged"
    )
    assert.strictEqual(parts({}).obstacle, "package_manager")
    assert.isUndefined(parts({ environment: { APPIMAGE: "/x" } }).obstacle)
    assert.isUndefined(parts({ platform: "win32" }).obstacle)
    rmSync(join(folder, "update-key.pem"))
    assert.strictEqual(parts({ environment: { APPIMAGE: "/x" } }).obstacle, "unsigned")
    assert.isUndefined(parts({ platform: "darwin" }).obstacle)
    assert.strictEqual(parts({ platform: "win32" }).obstacle, "unsigned")
    writeFileSync(
      join(folder, "app-update.yml"),
      "provider: generic\nurl: https://updates.example/x\npublisherName: [CN=Countersign]\n"
    )
    assert.isUndefined(parts({ platform: "win32" }).obstacle)
    assert.strictEqual(parts({ platform: "win32" }).packagedFeed, "https://updates.example/x")
  })

  it("has no feed without a feed file, or with an invalid one", () => {
    assert.isUndefined(parts({}).packagedFeed)
    writeFileSync(join(folder, "app-update.yml"), ": [")
    assert.isUndefined(parts({}).packagedFeed)
    writeFileSync(
      join(folder, "app-update.yml"),
      readFileSync(resolve(import.meta.dirname, "../../../../resources/desktop/app-update.yml"))
    )
    assert.isUndefined(parts({}).packagedFeed)
  })
})
