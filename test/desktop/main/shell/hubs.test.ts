/** The console window's methods for hubs, with a keychain that does not answer. */
import { pushes } from "@countersign/desktop/bridge/channels"
import type { ShellState } from "@countersign/desktop/bridge/contract"
import { Connections } from "@countersign/desktop/main/hub/port"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import type { Keychain } from "@countersign/desktop/main/secrets/secret-store"
import { hubMethods } from "@countersign/desktop/main/shell/hubs"
import { Windows, type WindowsShape } from "@countersign/desktop/main/windows/windows"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  addProfile,
  addSignedIn,
  keychainInTest,
  mainServices,
  phase,
  reaches,
  signInTo,
  temporaryFolder
} from "../../../support/desktop-main.ts"
import { until } from "../../../support/device-agent.ts"
import { HubTest, TestHub } from "../../../support/hub.ts"

/** The window's methods, and the states that are pushed to it. */
const shell = Effect.fnUntraced(function*(folder: string, keychain: Keychain | (() => Promise<Keychain>)) {
  const pushed: Array<ShellState> = []
  const windows: WindowsShape = {
    roleOf: () => "console",
    showConsole: () => Effect.void,
    reloadConsole: () => {},
    send: () => true,
    sendConsole: (channel, value) => channel === pushes.state && pushed.push(value as ShellState),
    confirm: () => Promise.resolve(false),
    confirming: () => undefined,
    showOwner: () => Effect.void,
    restOwner: () => {},
    sendOwner: () => {},
    onOwnerGone: () => () => {},
    profileOf: () => null,
    onPageGone: () => {},
    listening: () => {},
    stepConsole: () => {}
  }
  const services = yield* Layer.build(
    Layer.provideMerge(Layer.succeed(Windows, windows), mainServices(folder, keychain))
  )
  return { pushed, services, methods: yield* Effect.provide(hubMethods, services) }
})

layer(HubTest(), { excludeTestServices: true })("the window's hubs", (it) => {
  it.effect("are reported while the keychain is queried, and again when it counts as unavailable", () =>
    Effect.scoped(Effect.gen(function*() {
      const loading = Promise.withResolvers<Keychain>()
      const { methods, pushed } = yield* shell(yield* temporaryFolder, () => loading.promise)
      expect(yield* Effect.promise(() => methods.state())).toMatchObject({ hubs: [], notices: [] })
      loading.reject(new Error("no bus"))
      const last = yield* until(
        Effect.sync(() => pushed.at(-1)),
        (state) => state !== undefined && state.notices.length > 0
      )
      expect(last?.notices).toEqual([expect.stringContaining("no bus")])
    })))

  it.effect("can be added and removed while the keychain is blocked", () =>
    Effect.scoped(Effect.gen(function*() {
      const hub = yield* TestHub
      const keychain = keychainInTest()
      let isStuck = false
      const freed = Promise.withResolvers<void>()
      const slow = <A>(work: () => Promise<A>): Promise<A> => isStuck ? freed.promise.then(work) : work()
      const { services } = yield* shell(yield* temporaryFolder, {
        getPassword: (service, account) => slow(() => keychain.getPassword(service, account)),
        setPassword: (service, account, secret) => slow(() => keychain.setPassword(service, account, secret)),
        deletePassword: (service, account) => slow(() => keychain.deletePassword(service, account))
      })
      yield* Effect.gen(function*() {
        const first = yield* addSignedIn(hub, hub.owner)
        yield* reaches(first.id, phase("connected"))
        isStuck = true
        const { remove } = yield* Profiles
        yield* remove(first.id)
        const second = yield* addProfile(hub)
        // Signing in does not wait for the keychain.
        yield* signInTo(second.id, hub.owner)
        yield* reaches(second.id, phase("connected"))
        expect([...(yield* (yield* Connections).states).keys()]).toEqual([second.id])
        freed.resolve()
        yield* until(Effect.sync(() => [...keychain.items.keys()]), ([only, ...more]) =>
          only === `session:${second.id}` && more.length === 0)
      }).pipe(Effect.provide(services))
    })))
})
