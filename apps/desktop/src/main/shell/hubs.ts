/** The console window's methods for hubs: profiles, checks of a new address, and the event stream. */
import { HubError } from "@countersign/hub-client/error"
import { hubAddress } from "@countersign/hub-client/hub-address"
import { Effect, Option, Result, Stream } from "effect"
import { pushes } from "../../bridge/channels.ts"
import type { FoundHub, HubInShell, ShellState } from "../../bridge/contract.ts"
import { endpointSchema } from "../../bridge/endpoint-schemas.ts"
import type { HubState } from "../../bridge/hub-state.ts"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { appVersion } from "../../version.ts"
import { ConnectionDesk } from "../hub/connections.ts"
import { type Certificate, findHub } from "../hub/hub-identity.ts"
import { Connections } from "../hub/port.ts"
import { SystemProxy } from "../hub/system-proxy.ts"
import { makeTransport, mayImport } from "../hub/transport.ts"
import { invalidRequest, noHub, refusal, stalePage } from "../platform/answers.ts"
import type { Profile } from "../profiles/profile.ts"
import { type ProfileRefused, Profiles } from "../profiles/profiles.ts"
import { SecretStore } from "../secrets/secret-store.ts"
import { Windows } from "../windows/windows.ts"
import { makeAnswerStreams } from "./answer-streams.ts"
import { makeEventStreams } from "./event-streams.ts"
import type { ShellMethods } from "./methods.ts"
import { makeUploads } from "./uploads.ts"

/** Hubs that were checked and not added yet. */
const checkedMax = 16
const logoutMillisMax = 3_000

interface CheckedHub {
  readonly hub_id?: string
  readonly certificate?: Certificate
}

const inShell = (
  { ca, hub_id, id, limit_cents, name, notifications, url }: Profile,
  state: HubState | undefined
): HubInShell => ({
  id,
  name,
  url,
  hub_id,
  notifications,
  ca_sha256: ca?.sha256 ?? null,
  limit_cents: limit_cents ?? null,
  state: state ?? null
})

export const hubMethods = Effect.gen(function*() {
  const profiles = yield* Profiles
  const connections = yield* Connections
  const desk = yield* ConnectionDesk
  const secrets = yield* SecretStore
  const proxy = yield* SystemProxy
  const windows = yield* Windows
  const streams = makeEventStreams(desk, windows)
  const answers = makeAnswerStreams(windows)
  const uploads = makeUploads()
  const checked = new Map<string, CheckedHub>()

  const remember = (url: string, found: CheckedHub) => {
    const before = checked.get(url)
    checked.delete(url)
    if (checked.size >= checkedMax) checked.delete(checked.keys().next().value ?? "")
    checked.set(url, { ...before, ...found })
  }
  const certificateOf = (url: string, sha256: string): Certificate => {
    const certificate = checked.get(url)?.certificate
    if (certificate?.sha256 !== sha256) {
      throw refusal("not_shown", "This certificate was not shown. Check the hub again.")
    }
    return certificate
  }
  const caOf = (url: string, sha256: string) => ({ pem: certificateOf(url, sha256).pem, sha256 })

  /** Profiles refuse with a message for a person. */
  const run = async <A>(effect: Effect.Effect<A, ProfileRefused>): Promise<A> => {
    const done = await Effect.runPromise(Effect.result(effect))
    if (Result.isFailure(done)) throw refusal("refused", done.failure.reason)
    return done.success
  }

  const state = Effect.gen(function*() {
    const states = yield* connections.states
    const place = yield* secrets.place
    return {
      hubs: (yield* profiles.all).map((profile) => inShell(profile, states.get(profile.id))),
      current: yield* profiles.current,
      app_version: appVersion,
      notices: [
        ...profiles.problem === undefined ? [] : [profiles.problem],
        ...place.kind === "memory" ? [place.notice] : []
      ]
    } satisfies ShellState
  })
  const pushed = Effect.map(state, (now) => windows.sendConsole(pushes.state, now))
  yield* Effect.forkScoped(Stream.runForEach(connections.changes, () => pushed))
  yield* Effect.forkScoped(Stream.runForEach(profiles.changes, () => pushed))
  const keychain = secrets.subscribe(() => void Effect.runFork(pushed))
  yield* Effect.addFinalizer(() => Effect.sync(keychain))
  windows.onPageGone((window) => {
    streams.drop(window)
    answers.drop(window)
    uploads.drop(window)
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      streams.closeAll()
      answers.closeAll()
      uploads.closeAll()
    })
  )

  const checkAddress = async (given: string, import_ca_sha256: string | undefined): Promise<FoundHub> => {
    const url = hubAddress(given)
    if (typeof url !== "string") return { kind: "none", url: given, code: "invalid_address", message: url.reason }
    const ca = import_ca_sha256 === undefined ? undefined : certificateOf(url, import_ca_sha256).pem
    const transport = makeTransport({ url, ca, proxy, session: () => undefined, onSession: () => {} })
    try {
      const found = await findHub(url, transport, proxy)
      if (found.kind === "none") return { kind: "none", url, code: found.code, message: found.message }
      if (found.kind === "untrusted") {
        const { certificate: { sha256, subject }, code } = found
        remember(url, { certificate: found.certificate })
        return { kind: "untrusted", url, code, subject, sha256, may_import: mayImport(code) }
      }
      remember(url, { hub_id: found.hub_id })
      return { kind: "hub", url, hub_id: found.hub_id, version: found.version, ca_sha256: import_ca_sha256 ?? null }
    } finally {
      await transport.close()
    }
  }

  /** A page must not loosen a limit that protects against it. */
  const confirmLimit = async ({ id, limit_cents: before, name, url }: Profile, after: number | null): Promise<void> => {
    if (before === undefined || after !== null && after <= before) return
    const notConfirmed = () =>
      refusal("not_confirmed", "The limit is unchanged: the change was not confirmed in the app's window.")
    if (!await windows.confirm({ kind: "limit", hub: { name, url }, before_cents: before, after_cents: after })) {
      throw notConfirmed()
    }
    // If the limit changed in the meantime, the confirmation showed an outdated value.
    if (Option.getOrUndefined(await Effect.runPromise(profiles.find(id)))?.limit_cents !== before) throw notConfirmed()
  }

  /** The profile of this page. */
  const current = async (window: number): Promise<ProfileId> => {
    const id = await Effect.runPromise(profiles.current)
    if (id !== windows.profileOf(window)) throw stalePage()
    if (id === null) throw noHub()
    return id
  }

  return {
    state: () => Effect.runPromise(state),
    listening: async (_, window) => {
      windows.listening(window)
      return null
    },
    findHub: ({ import_ca_sha256, url }) => checkAddress(url, import_ca_sha256),
    addHub: async ({ ca_sha256, hub_id, name, url }) => {
      if (checked.get(url)?.hub_id !== hub_id) {
        throw refusal("not_shown", "This hub was not checked. Check it again.")
      }
      const { id } = await run(
        profiles.add({ name, url, hub_id, ca: ca_sha256 === undefined ? undefined : caOf(url, ca_sha256) })
      )
      checked.delete(url)
      return { id }
    },
    updateHub: async ({ id, import_ca_sha256, limit_cents, name, notifications }) => {
      const profile = Option.getOrUndefined(await Effect.runPromise(profiles.find(id)))
      if (profile === undefined) throw refusal("refused", "This profile does not exist.")
      if (limit_cents !== undefined) await confirmLimit(profile, limit_cents)
      await run(profiles.update(id, {
        ...name === undefined ? {} : { name },
        ...limit_cents === undefined ? {} : { limit_cents },
        ...notifications === undefined ? {} : { notifications },
        ...import_ca_sha256 === undefined ? {} : { ca: caOf(profile.url, import_ca_sha256) }
      }))
      return null
    },
    removeHub: async ({ id }) => {
      const wasCurrent = id === await Effect.runPromise(profiles.current)
      // Ends the session on the hub as well if the hub is reachable.
      await Effect.runPromise(
        Effect.ignore(Effect.timeoutOption(connections.call(id, "auth.logout", {}), logoutMillisMax))
      )
      await run(profiles.remove(id))
      if (wasCurrent) await Effect.runPromise(windows.showConsole({ reload: true, path: "/" }))
      return null
    },
    openHub: async ({ id, setup_token: token }) => {
      await run(profiles.choose(id))
      // The page removes the token from its address before any other code runs.
      await Effect.runPromise(
        windows.showConsole({ reload: true, path: token === undefined ? "/" : `/setup#token=${token}` })
      )
      return null
    },
    retryNow: async () => {
      await Effect.runPromise(connections.retryNow())
      return null
    },
    openEvents: async ({ stream }, window) => {
      await streams.open(window, { profile: await current(window), stream })
      return null
    },
    openStream: async (
      { endpoint, idempotency_key: idempotencyKey, input, last_event_id: lastEventId, stream, workspace },
      window
    ) => {
      const read = endpointSchema(endpoint).readInput(input)
      if (Result.isFailure(read)) throw new HubError(invalidRequest(read.failure))
      const connection = desk.find(await current(window))
      if (connection === undefined) throw noHub()
      await answers.open(
        window,
        stream,
        (signal) => connection.stream(endpoint, read.success, { signal, workspace, lastEventId, idempotencyKey })
      )
      return null
    },
    closeStream: async ({ stream }, window) => {
      streams.close(window, stream)
      answers.close(window, stream)
      return null
    },
    openUpload: async ({ object, stream, workspace }, window) => {
      const connection = desk.find(await current(window))
      if (connection === undefined) throw noHub()
      const target = await uploads.open(window, stream, {
        reserve: () => connection.call("storage.presignUpload", { payload: object }, { workspace }),
        send: connection.sendObject
      })
      return { object_id: target.object_id }
    },
    sendUpload: async ({ bytes, stream }, window) => {
      await uploads.send(window, stream, bytes)
      return null
    },
    endUpload: async ({ stream }, window) => {
      await uploads.end(window, stream)
      return null
    },
    closeUpload: async ({ stream }, window) => {
      uploads.close(window, stream)
      return null
    }
  } satisfies Partial<ShellMethods>
})
