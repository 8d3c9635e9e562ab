/** Keeps the pending approvals and requests of all hubs current: one follower per profile, as long as the profile exists. */
import { Context, Effect, FiberMap, Layer, Random, Semaphore, Stream } from "effect"
import type { HubState } from "../../bridge/hub-state.ts"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import type { ConnectionLog as Log } from "../connection-log/log.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import { Connections, type ConnectionsShape } from "../hub/port.ts"
import { pauseMillis } from "../platform/retry.ts"
import type { Profile } from "../profiles/profile.ts"
import { Profiles } from "../profiles/profiles.ts"
import { feedOf } from "./feed.ts"
import { type HubWaiting, makeHubWaiting, type WaitingUpdate, type Want } from "./hub-waiting.ts"
import { emptyOverview, type Overview, overviewOf } from "./overview.ts"

const readsAtOnce = 4

export interface WaitingShape {
  readonly overview: () => Overview
  /** Called immediately after each change; the returned function unsubscribes. */
  readonly subscribe: (listener: (overview: Overview) => void) => () => void
}

interface Followed {
  profile: Profile
  readonly waiting: HubWaiting
}

const follower = Effect.fnUntraced(function*(
  connections: Pick<ConnectionsShape, "aheadMillis" | "call" | "events">,
  { profile, waiting }: Followed,
  changed: () => void,
  states: Stream.Stream<HubState>,
  log: Pick<Log, "write">
) {
  const feed = feedOf(connections, profile.id, { withPayload: profile.notifications.show_payload })
  const slots = yield* Semaphore.make(readsAtOnce)
  const work = yield* FiberMap.make<string>()

  const apply = (update: WaitingUpdate): Effect.Effect<void> =>
    Effect.suspend(() => {
      const wants = waiting.apply(update)
      changed()
      return Effect.forEach(
        wants,
        (want) => FiberMap.run(work, want.kind === "list" ? "list" : want.id, perform(want)),
        {
          discard: true
        }
      )
    })
  const perform = (want: Want): Effect.Effect<void> => {
    const { generation } = want
    return want.kind === "read"
      ? slots.withPermit(feed.read(want.id, want.workspace)).pipe(
        Effect.matchEffect({
          onSuccess: (row) => apply({ kind: "read", generation, id: want.id, row }),
          onFailure: () => apply({ kind: "read_failed", generation, id: want.id })
        })
      )
      : list(generation)
  }
  const list = (generation: number): Effect.Effect<void> =>
    Effect.matchEffect(feed.list, {
      onSuccess: (listed) => apply({ kind: "listed", generation, ...listed }),
      onFailure: (error) =>
        Effect.gen(function*() {
          const before = waiting.view().problem
          const again = waiting.apply({ kind: "list_failed", generation, code: error.code })[0]
          if (again?.kind !== "list") return
          // Logged once per series of failures.
          if (before === undefined && error.status !== 401) {
            log.write("list_failed", { about: profile.id, detail: error.code })
          }
          changed()
          yield* Effect.sleep(pauseMillis(error, again.failures, yield* Random.next))
          yield* list(generation)
        })
    })

  yield* Effect.all([
    Stream.runForEach(states, (state) => apply({ kind: "state", state })),
    Stream.runForEach(feed.news, apply)
  ], { concurrency: "unbounded", discard: true })
}, Effect.scoped)

export class Waiting extends Context.Service<Waiting, WaitingShape>()("@countersign/desktop/waiting/Waiting") {
  static readonly layer = Layer.effect(
    Waiting,
    Effect.gen(function*() {
      const connections = yield* Connections
      const profiles = yield* Profiles
      const log = yield* ConnectionLog
      const followed = new Map<ProfileId, Followed>()
      const followers = yield* FiberMap.make<ProfileId>()
      const listeners = new Set<(overview: Overview) => void>()
      let overview = emptyOverview

      const changed = () => {
        overview = overviewOf([...followed.values()].map(({ profile, waiting }) => ({
          profile: profile.id,
          name: profile.name,
          hubId: profile.hub_id,
          ...waiting.view()
        })))
        for (const listener of listeners) listener(overview)
      }
      const statesOf = (profile: ProfileId): Stream.Stream<HubState> =>
        connections.changes.pipe(
          Stream.filter((change) => change.profile === profile && change.state !== undefined),
          Stream.map((change) => change.state!)
        )

      const follow = (profile: Profile) =>
        Effect.suspend(() => {
          const before = followed.get(profile.id)
          const same = before !== undefined && before.profile.url === profile.url &&
            before.profile.hub_id === profile.hub_id &&
            before.profile.notifications.show_payload === profile.notifications.show_payload
          if (same) {
            before.profile = profile
            return Effect.void
          }
          const entry = { profile, waiting: makeHubWaiting({ phase: "connecting", since: Date.now() }) }
          followed.set(profile.id, entry)
          return FiberMap.run(followers, profile.id, follower(connections, entry, changed, statesOf(profile.id), log))
        })

      yield* profiles.changes.pipe(
        Stream.runForEach(({ profiles: present }) =>
          Effect.gen(function*() {
            for (const id of followed.keys()) {
              if (present.some((profile) => profile.id === id)) continue
              followed.delete(id)
              yield* FiberMap.remove(followers, id)
            }
            yield* Effect.forEach(present, follow, { discard: true })
            changed()
          })
        ),
        Effect.forkScoped
      )
      return {
        overview: () => overview,
        subscribe: (listener) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        }
      }
    })
  )
}
