/**
 * What the person wants to be notified of in each workspace, as set on the hub, and the quiet hours there. Read when a
 * workspace first has something to report, and again every minute. Spec: reference/desktop.md "Notifications".
 */
import { noticeDefaults, type NoticeEvent } from "@countersign/domain/notice-events"
import { type Hours, isQuiet } from "@countersign/domain/quiet-hours"
import { Context, Effect, FiberMap, Layer } from "effect"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { Connections } from "../hub/port.ts"
import { every } from "../platform/timers.ts"

/** A change on the hub applies after this long, at most. */
export const rereadMillis = 60_000

export interface Preferences {
  readonly desktop: Readonly<Record<NoticeEvent, boolean>>
  readonly quiet: Hours | undefined
  readonly zone: string
}

/** Of a hub that has no such settings, or does not answer. */
const defaults: Preferences = {
  desktop: Object.fromEntries(
    Object.entries(noticeDefaults).map(([event, { desktop }]) => [event, desktop])
  ) as unknown as Preferences["desktop"],
  quiet: undefined,
  zone: "UTC"
}

/** Whether the person wants a notification of the event now. */
export const wants = ({ desktop, quiet, zone }: Preferences, event: NoticeEvent, at: number): boolean =>
  desktop[event] && !(quiet !== undefined && isQuiet(quiet, zone, at))

export interface NoticePreferencesShape {
  /** Undefined until they were read once; the read is requested. */
  readonly of: (profile: ProfileId, workspace: string) => Preferences | undefined
  readonly read: (profile: ProfileId, workspace: string) => Effect.Effect<Preferences>
  /** Called after each change. */
  readonly subscribe: (listener: () => void) => () => void
}

export class NoticePreferences
  extends Context.Service<NoticePreferences, NoticePreferencesShape>()("@countersign/desktop/notices/NoticePreferences")
{
  static readonly layer = Layer.effect(
    NoticePreferences,
    Effect.gen(function*() {
      const { call } = yield* Connections
      const reads = yield* FiberMap.make<string, Preferences>()
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const known = new Map<string, Preferences>()
      const places = new Map<string, { readonly profile: ProfileId; readonly workspace: string }>()
      const listeners = new Set<() => void>()

      const fetch = (profile: ProfileId, workspace: string): Effect.Effect<Preferences> =>
        Effect.gen(function*() {
          const settings = yield* call(profile, "notifications.settings", {}, { workspace })
          const { user } = yield* call(profile, "auth.me", {}, { workspace })
          return {
            desktop: Object.fromEntries(
              Object.keys(noticeDefaults).map((event) => [event, settings[event as NoticeEvent].desktop])
            ) as unknown as Preferences["desktop"],
            quiet: settings.quiet_hours,
            zone: user.time_zone ?? "UTC"
          }
        }).pipe(
          // A hub without a connection keeps its last settings; its rows are unknown too.
          Effect.catchCause(() => Effect.succeed(known.get(`${profile} ${workspace}`) ?? defaults)),
          Effect.tap((read) =>
            Effect.sync(() => {
              const key = `${profile} ${workspace}`
              const before = JSON.stringify(known.get(key))
              known.set(key, read)
              if (JSON.stringify(read) !== before) { for (const listener of listeners) listener() }
            })
          )
        )

      const request = (profile: ProfileId, workspace: string) => {
        const key = `${profile} ${workspace}`
        places.set(key, { profile, workspace })
        return FiberMap.run(reads, key, fetch(profile, workspace), { onlyIfMissing: true })
      }

      const end = every(rereadMillis, () => {
        for (const { profile, workspace } of places.values()) run(request(profile, workspace))
      })
      yield* Effect.addFinalizer(() => Effect.sync(end))
      return {
        of: (profile, workspace) => {
          const found = known.get(`${profile} ${workspace}`)
          if (found === undefined) run(request(profile, workspace))
          return found
        },
        read: (profile, workspace) =>
          Effect.suspend(() => {
            const found = known.get(`${profile} ${workspace}`)
            places.set(`${profile} ${workspace}`, { profile, workspace })
            return found === undefined ? fetch(profile, workspace) : Effect.succeed(found)
          }),
        subscribe: (listener) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        }
      }
    })
  )
}
