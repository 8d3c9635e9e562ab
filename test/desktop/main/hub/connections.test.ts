/** The connection of a profile, with real hubs. */
import type { HubState } from "@countersign/desktop/bridge/hub-state"
import { findHub } from "@countersign/desktop/main/hub/hub-identity"
import { Connections, type HubNews } from "@countersign/desktop/main/hub/port"
import { proxyIn, type ProxyOf, proxyOf, SystemProxy } from "@countersign/desktop/main/hub/system-proxy"
import { makeTransport, mayImport } from "@countersign/desktop/main/hub/transport"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import { SecretStore, sessionAccount } from "@countersign/desktop/main/secrets/secret-store"
import { silenceMillisMax } from "@countersign/hub-client/event-feed"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result, Stream } from "effect"
import { readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { type AddressInfo, connect as connectTcp, createServer as createTcp, type Socket } from "node:net"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import { makeAuthority } from "../../../support/authority.ts"
import { eventually } from "../../../support/built-main.ts"
import {
  addProfile,
  addSignedIn,
  connectionOf,
  keychainInTest,
  mainServices,
  phase,
  reaches,
  signInTo,
  temporaryFolder
} from "../../../support/desktop-main.ts"
import { firstOwner, HubTest, makeAgent, startHub, TestHub } from "../../../support/hub.ts"
import { secureFront } from "../../../support/secure-front.ts"
import { certificate, key } from "../../../support/tls.ts"

const listening = (server: ReturnType<typeof createServer>, host = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.promise<string>(() =>
      new Promise((resolve) =>
        void server.listen(0, host, () => resolve(`http://${host}:${(server.address() as AddressInfo).port}`))
      )
    ),
    () =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          server.closeAllConnections()
          server.close(() => resolve())
        })
      )
  )

layer(HubTest(), { excludeTestServices: true })("a connection", (it) => {
  it.effect("E10: signs in, keeps the session in the keychain bound to its hub, and is connected again at the next start", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const keychain = keychainInTest()
      const id = yield* Effect.gen(function*() {
        const { id } = yield* addProfile(hub)
        yield* reaches(id, phase("signed_out"))
        const me = yield* signInTo(id, hub.owner)
        // The answer does not contain the session.
        expect(JSON.stringify(me)).not.toContain("svc_session")
        yield* reaches(id, phase("connected"))
        return id
      }).pipe(Effect.provide(mainServices(folder, keychain), { local: true }))
      const kept = keychain.items.get(sessionAccount(id))
      expect(JSON.parse(kept ?? "{}")).toMatchObject({
        version: 1,
        url: hub.url,
        value: expect.stringMatching(/^.{20,}$/u)
      })
      expect(readFileSync(join(folder, "profiles.json"), "utf8")).not.toContain(JSON.parse(kept!).value)
      yield* Effect.gen(function*() {
        yield* reaches(id, phase("connected"))
        const { call } = yield* Connections
        expect((yield* call(id, "auth.me", {})).user.email).toBe(hub.owner.email)
        yield* call(id, "auth.logout", {})
        expect(yield* reaches(id, phase("signed_out"))).toMatchObject({ cause: "nobody" })
        const refused = yield* Effect.result(call(id, "auth.me", {}))
        expect(Result.isFailure(refused) && [refused.failure.status, refused.failure.code]).toEqual([401, "signed_out"])
      }).pipe(Effect.provide(mainServices(folder, keychain), { local: true }))
      expect(keychain.items.has(sessionAccount(id))).toBe(false)
    })))

  it.effect("receives the hub's events after its stream opens", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      yield* Effect.gen(function*() {
        const { events } = yield* Connections
        const { id } = yield* addSignedIn(hub, hub.owner)
        const opened = yield* Deferred.make<void>()
        const receiving = yield* Effect.forkChild(
          events(id).pipe(
            Stream.tap(({ kind }) => kind === "open" ? Deferred.succeed(opened, undefined) : Effect.void),
            Stream.filter((news): news is Extract<HubNews, { kind: "event" }> =>
              news.kind === "event" && news.event.type === "agent.updated"
            ),
            Stream.runHead
          )
        )
        yield* Deferred.await(opened)
        const agent = yield* makeAgent(hub, hub.owner, { name: "Updated", bindings: [] })
        const received = yield* Effect.flatMap(Fiber.join(receiving), Effect.fromOption)
        expect(received.event.subject).toEqual({ type: "agent", id: agent.id })
      }).pipe(Effect.provide(mainServices(folder, keychainInTest()), { local: true }))
    })))

  it.effect("E13: stops the profile when another hub answers at the address, without sending it the session", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const keychain = keychainInTest()
      const seen: Array<IncomingHttpHeaders> = []
      const server = createServer((request, response) => {
        seen.push(request.headers)
        response.setHeader("content-type", "application/json").end(
          JSON.stringify({ status: "ok", hub_id: "hub_other", version: "1", min_app_version: "0.0.1" })
        )
      })
      const url = yield* listening(server)
      yield* Effect.gen(function*() {
        const { call } = yield* Connections
        const { id } = yield* addProfile({ url }, { hub_id: "hub_first" })
        keychain.items.set(
          sessionAccount(id),
          JSON.stringify({ version: 1, url, hub_id: "hub_first", value: "a-session-of-the-first-hub" })
        )
        const connection = yield* connectionOf(id)
        connection.start()
        const stopped = yield* reaches(id, phase("stopped"))
        expect(stopped).toMatchObject({ cause: { kind: "hub_changed", expected: "hub_first", found: "hub_other" } })
        const refused = yield* Effect.result(call(id, "auth.me", {}))
        expect(Result.isFailure(refused) && refused.failure.code).toBe("stopped")
      }).pipe(Effect.provide(mainServices(folder, keychain), { local: true }))
      expect(seen.length).toBeGreaterThan(0)
      expect(seen.filter(({ cookie }) => cookie !== undefined)).toEqual([])
      expect(hub.url).not.toBe(url)
    })))

  it.effect("E13: follows no redirect, so that no other origin receives the session, and sends no Origin", () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const elsewhere: Array<string> = []
      const other = yield* listening(createServer((request, response) => {
        elsewhere.push(request.url ?? "")
        response.end()
      }))
      const seen: Array<IncomingHttpHeaders> = []
      const url = yield* listening(createServer((request, response) => {
        seen.push(request.headers)
        if (request.url === "/api/v1/health") {
          return void response.setHeader("content-type", "application/json").end(
            JSON.stringify({ status: "ok", hub_id: "hub_1", version: "1", min_app_version: "0.0.1" })
          )
        }
        response.writeHead(307, { location: `${other}${request.url}` }).end()
      }))
      const keychain = keychainInTest()
      yield* Effect.gen(function*() {
        const { call } = yield* Connections
        const { id } = yield* addProfile({ url }, { hub_id: "hub_1" })
        keychain.items.set(sessionAccount(id), JSON.stringify({ version: 1, url, hub_id: "hub_1", value: "a-session" }))
        const connection = yield* connectionOf(id)
        connection.start()
        const refused = yield* Effect.result(call(id, "workspaces.list", { query: {} }))
        expect(Result.isFailure(refused) && refused.failure.code).toBe("redirected")
      }).pipe(Effect.provide(mainServices(folder, keychain), { local: true }))
      expect(elsewhere).toEqual([])
      expect(seen.some(({ cookie }) => cookie === "svc_session=a-session")).toBe(true)
      expect(seen.filter(({ origin }) => origin !== undefined)).toEqual([])
    })))

  it.effect("E11: requires signing in again when the keychain does not supply the session", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const keychain = keychainInTest()
      yield* Effect.gen(function*() {
        const { id } = yield* addProfile(hub)
        keychain.locked.add(sessionAccount(id))
        const connection = yield* connectionOf(id)
        connection.start()
        expect(yield* reaches(id, (state: HubState) => state.phase === "signed_out" && state.cause === "unreadable"))
          .toBeDefined()
        keychain.locked.clear()
        yield* signInTo(id, hub.owner)
        yield* reaches(id, phase("connected"))
      }).pipe(Effect.provide(mainServices(folder, keychain), { local: true }))
    })))

  it.effect("E11: uses the session as soon as a keychain that was unavailable at the start supplies it", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const keychain = keychainInTest()
      const id = yield* Effect.gen(function*() {
        const { id } = yield* addSignedIn(hub, hub.owner)
        return id
      }).pipe(Effect.provide(mainServices(folder, keychain), { local: true }))
      let isThere = false
      yield* Effect.gen(function*() {
        expect(yield* reaches(id, phase("signed_out"))).toMatchObject({ cause: "unreadable" })
        isThere = true
        yield* (yield* SecretStore).retry
        yield* reaches(id, phase("connected"))
      }).pipe(Effect.provide(
        mainServices(folder, async () => {
          if (!isThere) throw new Error("no bus")
          return keychain
        }),
        { local: true }
      ))
    })))

  it.effect("reports a session that was ended elsewhere, and removes its keychain item", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const keychain = keychainInTest()
      yield* Effect.gen(function*() {
        const { call } = yield* Connections
        const { id } = yield* addSignedIn(hub, hub.owner)
        yield* reaches(id, phase("connected"))
        const { data } = yield* call(id, "auth.sessions", { query: {} })
        const mine = data.find(({ current }) => current)
        yield* hub.api("DELETE", `/auth/sessions/${mine?.id}`, { cookie: hub.owner.cookie })
        expect(yield* reaches(id, (state) => state.phase === "signed_out" && state.cause === "ended")).toBeDefined()
        // The state changes before the slow keychain has deleted the item.
        yield* Effect.promise(() => eventually(() => keychain.items.size === 0 ? true : undefined))
      }).pipe(Effect.provide(mainServices(folder, keychain), { local: true }))
    })))

  it.effect("reports an unreachable hub as offline with its cause, and reconnects at once on request", () =>
    Effect.scoped(Effect.gen(function*() {
      const first = yield* startHub()
      const owner = yield* firstOwner(first)
      const folder = yield* temporaryFolder
      const port = new URL(first.url).port
      yield* Effect.gen(function*() {
        const { retryNow } = yield* Connections
        const { id } = yield* addSignedIn(first, owner)
        yield* reaches(id, phase("connected"))
        yield* first.stop
        expect(yield* reaches(id, phase("offline"))).toMatchObject({
          cause: expect.stringMatching(/ECONN|ended|network|UND_ERR/u)
        })
        yield* startHub({ database: first.target, env: { HUB_PORT: port } })
        yield* retryNow(id)
        yield* reaches(id, phase("connected"))
      }).pipe(Effect.provide(mainServices(folder, keychainInTest()), { local: true }))
    })))
})

layer(Layer.empty, { excludeTestServices: true })("a hub that answers 429", (it) => {
  it.effect("is not asked for its stream before its retry time, by any caller", () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* temporaryFolder
      let asked = 0
      const url = yield* listening(createServer((incoming, answer) => {
        answer.setHeader("content-type", "application/json")
        if (incoming.url === "/api/v1/health") {
          return void answer.end(
            JSON.stringify({ status: "ok", hub_id: "hub_1", version: "1", min_app_version: "0.0.1" })
          )
        }
        if (incoming.url?.startsWith("/api/v1/events") === true) asked++
        answer.writeHead(429, { "retry-after": "120" }).end(
          JSON.stringify({ error: { code: "rate_limited", message: "no" } })
        )
      }))
      const keychain = keychainInTest()
      yield* Effect.gen(function*() {
        const { id } = yield* addProfile({ url }, { hub_id: "hub_1" })
        keychain.items.set(sessionAccount(id), JSON.stringify({ version: 1, url, hub_id: "hub_1", value: "a-session" }))
        const connection = yield* connectionOf(id)
        connection.start()
        const { retryAt, since } = (yield* reaches(id, phase("offline"))) as Extract<HubState, { phase: "offline" }>
        expect(retryAt! - since).toBeGreaterThanOrEqual(100_000)
        connection.retryNow()
        // Opening the console's stream makes this call as well.
        yield* Effect.result(Effect.flatMap(Connections, ({ call }) => call(id, "auth.me", {}, { once: true })))
        expect(asked).toBe(1)
      }).pipe(Effect.provide(mainServices(folder, keychain), { local: true }))
    })))
})

/** A forwarder in front of a hub. After `cut`, existing connections forward nothing and stay open without an error. */
const forwarderTo = (hub: { readonly url: string }) =>
  Effect.gen(function*() {
    const sockets = new Set<Socket>()
    let frozen: ReadonlyArray<Socket> = []
    const forwarder = createTcp((near) => {
      const far = connectTcp(Number(new URL(hub.url).port), "127.0.0.1")
      for (const [each, other] of [[near, far], [far, near]] as const) {
        sockets.add(each)
        each.on("data", (data) => void (frozen.includes(each) || other.write(data)))
        each.on("error", () => {}).on("close", () => frozen.includes(each) || other.destroy())
      }
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void forwarder.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          for (const each of sockets) each.destroy()
          forwarder.close()
        })
    )
    return {
      url: `http://127.0.0.1:${(forwarder.address() as AddressInfo).port}`,
      cut: () => void (frozen = [...sockets])
    }
  })

layer(HubTest(), { excludeTestServices: true })("a computer that slept", (it) => {
  it.effect("reopens its stream over new connections, receives events from the meantime, and is not reported as offline", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const forwarder = yield* forwarderTo(hub)
      yield* Effect.gen(function*() {
        const { changes, events, wake } = yield* Connections
        const { id } = yield* addSignedIn(forwarder, hub.owner)
        yield* reaches(id, phase("connected"))
        const opened = yield* Deferred.make<void>()
        const first = yield* Deferred.make<void>()
        let asleep = ""
        const receiving = yield* Effect.forkChild(
          events(id).pipe(
            Stream.tap(({ kind }) => kind === "open" ? Deferred.succeed(opened, undefined) : Effect.void),
            Stream.filter((news): news is Extract<HubNews, { kind: "event" }> =>
              news.kind === "event" && news.event.type === "agent.updated"
            ),
            Stream.tap(() => Deferred.succeed(first, undefined)),
            Stream.map(({ event }) => event.subject.id),
            Stream.takeUntil((id) => id === asleep),
            Stream.runCollect
          )
        )
        yield* Deferred.await(opened)
        const { id: awake } = yield* makeAgent(hub, hub.owner, { name: "Awake", bindings: [] })
        yield* Deferred.await(first)
        const phases: Array<string | undefined> = []
        yield* Effect.forkChild(Stream.runForEach(changes, ({ state }) => Effect.sync(() => phases.push(state?.phase))))
        forwarder.cut()
        asleep = (yield* makeAgent(hub, hub.owner, { name: "Asleep", bindings: [] })).id
        yield* wake
        // Well before the stream's silence limit would detect the dead connection.
        const received = yield* Effect.timeout(Fiber.join(receiving), silenceMillisMax / 2)
        expect([...new Set(received)]).toEqual([awake, asleep])
        expect(new Set(phases)).toEqual(new Set(["connected"]))
      }).pipe(Effect.provide(mainServices(folder, keychainInTest()), { local: true }))
    })))
})

const inFrontOf = (hub: { readonly url: string }, server: Parameters<typeof secureFront>[1]) =>
  Effect.acquireRelease(Effect.promise(() => secureFront(hub, server)), ({ close }) => Effect.sync(close))

/** The hub as it is displayed before an import. */
const checkedHub = Effect.fnUntraced(function*(url: string, proxy: ProxyOf = () => Promise.resolve(undefined)) {
  const transport = makeTransport({ url, proxy, session: () => "a-session", onSession: () => {} })
  const found = yield* Effect.promise(() => findHub(url, transport, proxy))
  yield* Effect.promise(() => transport.close())
  return found.kind === "untrusted" ? found : yield* Effect.die(new Error(`not untrusted: ${found.kind}`))
})

layer(HubTest(), { excludeTestServices: true })("an untrusted certificate", (it) => {
  it.effect("E13: is shown with subject and fingerprint, stops the profile, and lets the session through only after its import", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const authority = makeAuthority("Acme private CA")
      const front = yield* inFrontOf(hub, authority.server)
      const { certificate, code } = yield* checkedHub(front.url)
      expect([certificate, mayImport(code)]).toEqual([{
        subject: "CN=Acme private CA",
        sha256: authority.sha256,
        pem: authority.pem
      }, true])
      yield* Effect.gen(function*() {
        const { hub_id } = yield* Effect.promise(async () =>
          (await (await fetch(`${hub.url}/api/v1/health`)).json()) as { hub_id: string }
        )
        const { id } = yield* addProfile(front, { hub_id })
        yield* reaches(id, phase("signed_out"))
        const refused = yield* Effect.result(signInTo(id, hub.owner))
        expect(Result.isFailure(refused)).toBe(true)
        expect(yield* reaches(id, phase("stopped"))).toMatchObject({
          cause: { kind: "untrusted_certificate", subject: "CN=Acme private CA", sha256: authority.sha256 }
        })
        expect(front.seen).toEqual([])
        const { update } = yield* Profiles
        yield* update(id, { ca: { pem: certificate.pem, sha256: certificate.sha256 } })
        yield* reaches(id, phase("signed_out"))
        yield* signInTo(id, hub.owner)
        yield* reaches(id, phase("connected"))
        expect(front.seen.some(({ cookie }) => /^svc_session=.{20,}/u.test(cookie ?? ""))).toBe(true)
        // Another authority with the same name is not trusted.
        const before = front.seen.length
        front.renew(makeAuthority("Acme private CA").server)
        expect(yield* reaches(id, phase("stopped"))).toMatchObject({ cause: { kind: "untrusted_certificate" } })
        expect(front.seen.length).toBe(before)
      }).pipe(Effect.provide(mainServices(folder, keychainInTest()), { local: true }))
    })))

  it.effect("E13: is valid only for its own names after an import", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const front = yield* inFrontOf(hub, { key, cert: certificate })
      const found = yield* checkedHub(front.url)
      expect(found.certificate.subject).toBe("CN=tls.example")
      yield* Effect.gen(function*() {
        const { id } = yield* addProfile(front, {
          hub_id: "hub_1",
          ca: { pem: found.certificate.pem, sha256: found.certificate.sha256 }
        })
        yield* reaches(id, phase("signed_out"))
        const refused = yield* Effect.result(Effect.flatMap(Connections, ({ call }) => call(id, "setup.state", {})))
        expect(Result.isFailure(refused)).toBe(true)
        expect(yield* reaches(id, phase("stopped"))).toMatchObject({ cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" } })
      }).pipe(Effect.provide(mainServices(folder, keychainInTest()), { local: true }))
      expect(front.seen).toEqual([])
    })))
})

/** A proxy that forwards every request to `port`; the requested address exists nowhere else. */
const companyProxy = (port: string) =>
  Effect.gen(function*() {
    const asked: Array<string | undefined> = []
    const sockets = new Set<Duplex>()
    const server = createServer((_, answer) => void answer.writeHead(405).end())
    server.on("connect", ({ url }, near) => {
      asked.push(url)
      const far = connectTcp(Number(port), "127.0.0.1", () => {
        near.write("HTTP/1.1 200 Connection established\r\n\r\n")
        near.pipe(far).pipe(near)
      })
      for (const each of [near, far]) sockets.add(each.on("error", () => {}))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((each) => each.destroy())))
    return { asked, url: yield* listening(server) }
  })

layer(HubTest(), { excludeTestServices: true })("a hub behind the system's proxy", (it) => {
  it.effect("is checked and reached through the proxy, with its own certificate", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const folder = yield* temporaryFolder
      const authority = makeAuthority("Acme private CA")
      const front = yield* inFrontOf(hub, authority.server)
      const company = yield* companyProxy(new URL(front.url).port)
      // No server listens there; the hub is reachable only through the proxy.
      const url = "https://localhost:8443"
      const system = proxyOf((asked) =>
        Promise.resolve(asked === url ? `PROXY ${new URL(company.url).host}; DIRECT` : "DIRECT")
      )
      const { certificate } = yield* checkedHub(url, system)
      expect(certificate.sha256).toBe(authority.sha256)
      yield* Effect.gen(function*() {
        const { hub_id } = yield* Effect.promise(async () =>
          (await (await fetch(`${hub.url}/api/v1/health`)).json()) as { hub_id: string }
        )
        const { id } = yield* addSignedIn({ url }, hub.owner, {
          hub_id,
          ca: { pem: certificate.pem, sha256: certificate.sha256 }
        })
        yield* reaches(id, phase("connected"))
      }).pipe(
        Effect.provide(mainServices(folder, keychainInTest()).pipe(Layer.provide(Layer.succeed(SystemProxy, system))), {
          local: true
        })
      )
      expect(new Set(company.asked)).toEqual(new Set(["localhost:8443"]))
    })))

  it("uses the first supported entry of the system's answer", () => {
    expect([
      "DIRECT",
      "",
      "PROXY a.example:3128",
      "SOCKS5 s.example:1080; HTTPS b.example:443; PROXY a.example:80",
      "DIRECT; PROXY a.example:3128",
      "PROXY ;PROXY a b",
      "SOCKS s.example:1080"
    ].map(proxyIn)).toEqual([
      undefined,
      undefined,
      "http://a.example:3128",
      "https://b.example",
      undefined,
      "http://a",
      undefined
    ])
  })

  it("uses no proxy when the system does not answer", async () => {
    expect(await proxyOf(() => Promise.reject(new Error("no script")))("https://hub.example")).toBeUndefined()
  })
})
