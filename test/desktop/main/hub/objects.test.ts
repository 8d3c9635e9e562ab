/** Files between a page of the app and storage: through main, in pieces, with the session only for the hub. */
import type { Answer } from "@countersign/desktop/bridge/answer"
import { uploadPieceBytesMax } from "@countersign/desktop/bridge/channels"
import type { ConsoleBridge } from "@countersign/desktop/bridge/contract"
import { factsOf } from "@countersign/desktop/main/platform/answers"
import { makeUploads } from "@countersign/desktop/main/shell/uploads"
import { makeBridgeClient } from "@countersign/desktop/renderer/bridge-client"
import type { UploadOptions } from "@countersign/hub-client/client"
import { isHubError } from "@countersign/hub-client/error"
import { makeHubClock } from "@countersign/hub-client/hub-clock"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import {
  addSignedIn,
  connectionOf,
  keychainInTest,
  mainServices,
  temporaryFolder
} from "../../../support/desktop-main.ts"
import { HubTest, TestHub } from "../../../support/hub.ts"

type Connection = Effect.Success<ReturnType<typeof connectionOf>>
const window = 1

const answered = <A>(work: Promise<A>): Promise<Answer<A>> =>
  work.then((value) => ({ ok: true, value }), (error: unknown) => ({ ok: false, error: factsOf(error) }))

/** The page's client over main's uploads, without Electron between them. */
const clientOf = (connection: Connection) => {
  const uploads = makeUploads()
  const nothing = () => null
  const shell = {
    openUpload: ({ object, stream, workspace }) =>
      answered(uploads.open(window, stream, {
        reserve: () => connection.call("storage.presignUpload", { payload: object }, { workspace }),
        send: connection.sendObject
      })),
    sendUpload: ({ bytes, stream }) => answered(uploads.send(window, stream, bytes).then(nothing)),
    endUpload: ({ stream }) => answered(uploads.end(window, stream).then(nothing)),
    closeUpload: ({ stream }) => answered(Promise.resolve(uploads.close(window, stream)).then(nothing))
  } satisfies Partial<ConsoleBridge["shell"]>
  const bridge = { hub: {}, shell, onEvents: () => () => {} } as unknown as ConsoleBridge
  return { uploads, client: makeBridgeClient({ bridge, hubUrl: "http://127.0.0.1:9", clock: makeHubClock() }) }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(() => "none", (error: unknown) => isHubError(error) ? error.code : String(error))

layer(HubTest(), { excludeTestServices: true })("files of the app", (it) => {
  it.effect("are sent in pieces with their progress, and read in ranges; a wrong length and an abort leave no object", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const { id } = yield* addSignedIn(hub, hub.owner)
        const connection = yield* connectionOf(id)
        const { client } = clientOf(connection)
        const me = yield* Effect.promise(() => connection.call("auth.me", {}))
        const workspace = me.workspaces[0]!.id
        const bytes = randomBytes(2 * uploadPieceBytesMax + 17)
        const sha256 = createHash("sha256").update(bytes).digest("hex")
        const reserved: Array<string> = []
        const progress: Array<number> = []
        const options = (key: string, size_bytes: number, more: Partial<UploadOptions> = {}): UploadOptions => ({
          workspace,
          object: { key, content_type: "audio/wav", size_bytes, sha256 },
          signal: new AbortController().signal,
          onReserved: (object) => void reserved.push(object),
          onProgress: (sent) => void progress.push(sent),
          ...more
        })
        yield* Effect.promise(() => client.upload!(new Blob([bytes]), options("tone.wav", bytes.length)))
        expect(progress).toEqual([uploadPieceBytesMax, 2 * uploadPieceBytesMax, bytes.length])
        const [object = ""] = reserved
        const stored = yield* Effect.promise(() => connection.call("storage.confirm", { params: { id: object } }))
        expect(stored).toMatchObject({ status: "live", sha256, size_bytes: bytes.length })

        const path = `/storage/objects/${object}/download?workspace=${workspace}&disposition=inline`
        const { signal } = new AbortController()
        const part = yield* Effect.promise(() => connection.openObject(path, { range: "bytes=5-14" }, signal))
        expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 5-14/${bytes.length}`])
        expect(Buffer.from(yield* Effect.promise(() => part.arrayBuffer()))).toEqual(bytes.subarray(5, 15))
        expect(
          yield* Effect.promise(() => codeOf(connection.openObject("/storage/objects/obj_x/download", {}, signal)))
        )
          .not.toBe("none")

        const short = client.upload!(new Blob([bytes]), options("short.wav", bytes.length + 1))
        expect(yield* Effect.promise(() => codeOf(short))).toMatch(/invalid_request|network_error/)
        const stop = new AbortController()
        const aborted = client.upload!(
          new Blob([bytes]),
          options("aborted.wav", bytes.length, { signal: stop.signal, onProgress: () => stop.abort() })
        )
        expect(yield* Effect.promise(() => codeOf(aborted))).toContain("AbortError")
        const list = yield* Effect.promise(() => connection.call("storage.list", { query: {} }, { workspace }))
        expect(list.data.map(({ key }) => key)).toEqual(["tone.wav"])
      }).pipe(Effect.provide(mainServices(folder, keychainInTest()), { local: true }))
    })))

  it.effect("go to a bucket's signed address without the session, and to no address that it redirects to", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const seen: Array<readonly [method: string | undefined, length: string | undefined, cookie: string | undefined]> =
        []
      const store = createServer((request, response) => {
        seen.push([request.method, request.headers["content-length"], request.headers.cookie])
        request.resume().on("end", () =>
          void (request.url === "/moved"
            ? response.writeHead(307, { location: `${hub.url}/api/v1/health` }).end()
            : response.writeHead(200).end()))
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => void store.listen(0, "127.0.0.1", resolve))),
        () => Effect.sync(() => void store.close())
      )
      const at = `http://127.0.0.1:${(store.address() as AddressInfo).port}`
      yield* Effect.gen(function*() {
        const { id } = yield* addSignedIn(hub, hub.owner)
        const connection = yield* connectionOf(id)
        const send = (url: string) => {
          const target = {
            object_id: "obj_1",
            url,
            method: "PUT",
            headers: { "content-type": "text/plain", "content-length": "5" },
            expires_at: ""
          } as unknown as Parameters<Connection["sendObject"]>[0]
          return codeOf(
            connection.sendObject(target, new Blob(["bytes"]).stream(), new AbortController().signal)
          )
        }
        expect(yield* Effect.promise(() => send(`${at}/bucket/object`))).toBe("none")
        expect(yield* Effect.promise(() => send(`${at}/moved`))).toBe("redirected")
        expect(yield* Effect.promise(() => send("file:///etc/passwd"))).toBe("foreign_address")
        expect(seen).toEqual([["PUT", "5", undefined], ["PUT", "5", undefined]])
      }).pipe(Effect.provide(mainServices(folder, keychainInTest()), { local: true }))
    })))

  it.effect("of one page are at most eight at a time, and end with it", () =>
    Effect.promise(async () => {
      const { open, drop, send } = makeUploads()
      const signals: Array<AbortSignal> = []
      const ports: Parameters<typeof open>[2] = {
        reserve: async () => ({ object_id: "obj_1" }) as never,
        send: (_target, _body, signal) => {
          signals.push(signal)
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
        }
      }
      for (let at = 0; at < 8; at++) await open(window, `s${at}`, ports)
      expect(await codeOf(open(window, "s8", ports))).toBe("too_many")
      expect(await codeOf(open(2, "s0", ports))).toBe("none")
      drop(window)
      expect(signals.map(({ aborted }) => aborted)).toEqual([...Array(8).fill(true), false])
      expect(await codeOf(send(window, "s0", new Uint8Array(1)))).toBe("no_upload")
    }))
})
