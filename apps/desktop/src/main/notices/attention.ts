/**
 * Builds the tray's model and the notifications from the pending approvals and requests. It only computes: the composition draws
 * them and carries out the action of each click.
 */
import type { NoticeEvent } from "@countersign/domain/notice-events"
import { Context, Effect, Layer, Stream } from "effect"
import { join } from "node:path"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import { Device } from "../device/service.ts"
import { Connections } from "../hub/port.ts"
import { after, every } from "../platform/timers.ts"
import type { Profile } from "../profiles/profile.ts"
import { Profiles } from "../profiles/profiles.ts"
import { AppSettingsFile } from "../settings/service.ts"
import type { WaitingItem } from "../waiting/overview.ts"
import { Waiting } from "../waiting/service.ts"
import { type TrayAct, type TrayModel, trayOf } from "../waiting/tray.ts"
import { followEventNotices } from "./event-notices.ts"
import type { NoticeTarget } from "./notice.ts"
import { NoticePreferences, wants } from "./preferences.ts"
import { isQuiet } from "./quiet.ts"
import { openNoticeRecord } from "./record.ts"
import { makeNoticeScheduler, type NoticeScreen } from "./scheduler.ts"

/** Keeps "9 min left" in the menu accurate. */
const refreshMillis = 30_000

/** The setting on the hub that a pending row follows; budget requests follow the app's own settings only. */
const noticedBy: Readonly<Record<WaitingItem["kind"], NoticeEvent | undefined>> = {
  approval: "approval.created",
  agent_request: "agent_request.created",
  budget_request: undefined
}

/** Actions that only windows can perform. */
export interface AttentionActs {
  readonly open: (
    target: NoticeTarget | { readonly kind: "window" | "device" | "panic" }
  ) => void
  readonly quit: () => void
}

/** Supplied by the composition: Electron's notifications and the windows. */
export class AttentionPorts extends Context.Service<AttentionPorts, {
  readonly screen: NoticeScreen
  readonly acts: AttentionActs
}>()("@countersign/desktop/AttentionPorts") {}

export interface AttentionShape {
  readonly tray: () => TrayModel
  /** Called after each visible change. */
  readonly subscribe: (listener: (model: TrayModel) => void) => () => void
  readonly act: (act: TrayAct) => void
}

export class Attention extends Context.Service<Attention, AttentionShape>()("@countersign/desktop/Attention") {
  static readonly layer = (folder: string) =>
    Layer.effect(
      Attention,
      Effect.gen(function*() {
        const waiting = yield* Waiting
        const device = yield* Device
        const settings = yield* AppSettingsFile
        const { acts, screen } = yield* AttentionPorts
        const connections = yield* Connections
        const log = yield* ConnectionLog
        const preferences = yield* NoticePreferences
        const run = Effect.runForkWith(yield* Effect.context<never>())
        let profiles: ReadonlyMap<ProfileId, Profile> = new Map()
        const scheduler = makeNoticeScheduler({
          screen,
          after,
          now: Date.now,
          record: openNoticeRecord(
            join(folder, "notices.json"),
            (event, facts) => log.write(event, { detail: JSON.stringify(facts) })
          ),
          open: (target) => acts.open(target),
          rulesOf: ({ kind, profile, workspace }) => {
            const { notifications, quiet_hours } = settings.current()
            const own = profiles.get(profile)
            const preferred = preferences.of(profile, workspace)
            const event = noticedBy[kind]
            return {
              enabled: notifications && own?.notifications.enabled === true && preferred !== undefined &&
                (event === undefined || wants(preferred, event, Date.now())),
              remind: own?.notifications.remind === true,
              quiet: quiet_hours
            }
          }
        })
        yield* followEventNotices({
          connections,
          preferences,
          profiles: Stream.map((yield* Profiles).changes, (changed) => changed.profiles),
          now: Date.now,
          mayShow: ({ id }) => {
            const { notifications, quiet_hours } = settings.current()
            return notifications && profiles.get(id)?.notifications.enabled === true &&
              scheduler.quietUntil() === undefined && !isQuiet(quiet_hours, new Date())
          },
          show: (notice) => screen.show(notice, () => acts.open(notice.target))
        })
        const listeners = new Set<(model: TrayModel) => void>()
        const model = (): TrayModel =>
          trayOf({
            overview: waiting.overview(),
            device: device.host.view(),
            panic: device.panic.state(),
            quietUntil: scheduler.quietUntil(),
            now: Date.now()
          })
        let shown = model()
        let shownText = JSON.stringify(shown)
        const refresh = (): void => {
          const next = model()
          const text = JSON.stringify(next)
          if (text === shownText) return
          shown = next
          shownText = text
          for (const listener of listeners) listener(next)
        }
        const act = (act: TrayAct): void => {
          switch (act.kind) {
            case "open":
              return acts.open({ kind: "window" })
            case "open_approval":
              return acts.open({ kind: "approval", profile: act.profile, workspace: act.workspace, id: act.id })
            case "open_inbox_row":
              return acts.open({ kind: "inbox_row", profile: act.profile, workspace: act.workspace, id: act.id })
            case "open_hub":
              return acts.open({ kind: "inbox", profile: act.profile })
            case "open_device":
              return acts.open({ kind: "device" })
            case "open_panic":
              return acts.open({ kind: "panic" })
            case "retry":
              return void run(connections.retryNow())
            case "pause_notices":
              scheduler.pause(Date.now() + act.minutes * 60_000)
              return refresh()
            case "resume_notices":
              scheduler.pause(undefined)
              return refresh()
            case "pause_device":
              return device.host.pause(Date.now() + act.minutes * 60_000)
            case "resume_device":
              return void device.host.start()
            case "panic":
              return void device.panic.stop("tray")
            // Handled in `electron/presence.ts`.
            case "install_update":
              return
            case "quit":
              return acts.quit()
          }
        }

        const { changes } = yield* Profiles
        yield* changes.pipe(
          Stream.runForEach(({ profiles: all }) =>
            Effect.sync(() => {
              profiles = new Map(all.map((profile) => [profile.id, profile]))
            })
          ),
          Effect.forkScoped
        )
        const ends = [
          waiting.subscribe((overview) => {
            refresh()
            scheduler.update(overview)
          }),
          preferences.subscribe(() => scheduler.update(waiting.overview())),
          device.host.subscribe(refresh),
          device.panic.subscribe(refresh),
          every(refreshMillis, refresh),
          scheduler.close
        ]
        scheduler.update(waiting.overview())
        yield* Effect.addFinalizer(() => Effect.sync(() => ends.forEach((end) => end())))
        return {
          tray: () => shown,
          subscribe: (listener) => {
            listeners.add(listener)
            return () => void listeners.delete(listener)
          },
          act
        }
      })
    ).pipe(Layer.provide(NoticePreferences.layer))
}
