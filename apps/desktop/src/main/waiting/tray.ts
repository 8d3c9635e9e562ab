/**
 * The tray's icon, texts, and menu, from the pending approvals and requests, the device, and the panic stop. Icons differ
 * in shape, not only in color; no payload or command is shown. Spec: reference/desktop.md "Tray", "E14: private notifications".
 */
import { deviceOff, type DeviceView } from "../../bridge/device-view.ts"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { clockWords, periodWords, plainLine } from "../platform/plain-text.ts"
import type { HubOverview, Overview } from "./overview.ts"
import { amountWords } from "./row.ts"

export const countShownMax = 99
export const newestMax = 3
export const pauseMinutes = 60

export type Picture =
  /** Nothing is pending: the plain seal. */
  | { readonly kind: "none" }
  /** A filled plate with the count cut out. */
  | { readonly kind: "waiting"; readonly text: string }
  /** The seal, struck through: the rows of a hub are unknown. */
  | { readonly kind: "offline" }
  /** A filled octagon with a bar: panic stop. */
  | { readonly kind: "stopped" }

/** The cell of an icon in the image strips: see `resources/desktop/README.md`. */
export const cellOf = (picture: Picture): number => {
  switch (picture.kind) {
    case "none":
      return 0
    case "offline":
      return 1
    case "stopped":
      return 2
    case "waiting":
      return 2 + (picture.text === `${countShownMax}+` ? countShownMax + 1 : Number(picture.text))
  }
}

export type TrayAct =
  | { readonly kind: "open" }
  | { readonly kind: "open_approval"; readonly profile: ProfileId; readonly workspace: string; readonly id: string }
  | { readonly kind: "open_inbox_row"; readonly profile: ProfileId; readonly workspace: string; readonly id: string }
  | { readonly kind: "open_hub"; readonly profile: ProfileId }
  | { readonly kind: "retry" }
  | { readonly kind: "open_device" }
  | { readonly kind: "pause_notices"; readonly minutes: number }
  | { readonly kind: "resume_notices" }
  | { readonly kind: "pause_device"; readonly minutes: number }
  | { readonly kind: "resume_device" }
  | { readonly kind: "panic" }
  /** Resuming requires the owner's window. */
  | { readonly kind: "open_panic" }
  | { readonly kind: "install_update" }
  | { readonly kind: "quit" }

export type MenuEntry =
  | { readonly kind: "fact"; readonly label: string }
  | { readonly kind: "act"; readonly label: string; readonly act: TrayAct }
  | { readonly kind: "line" }

export interface TrayModel {
  readonly picture: Picture
  /** Text beside the icon on systems that show it, such as macOS. */
  readonly title: string
  readonly tooltip: string
  /** Badge of dock and launcher; 0 removes it. */
  readonly badge: number
  readonly menu: ReadonlyArray<MenuEntry>
}

export interface TrayFacts {
  readonly overview: Overview
  readonly device?: DeviceView
  readonly panic: { readonly stopped: boolean; readonly since?: number }
  /** Notifications are held until then. */
  readonly quietUntil?: number | undefined
  readonly now: number
}

const countText = ({ items: { length }, more }: Overview): string => {
  if (length === 0) return ""
  return length > countShownMax || more && length === countShownMax ? `${countShownMax}+` : String(length)
}

const isAway = ({ state }: HubOverview): boolean =>
  state.phase === "offline" || state.phase === "stopped" || state.phase === "signed_out"
/** The hub's present rows are unknown: it is unreachable, or has not sent its list yet. */
const isStale = (hub: HubOverview): boolean => isAway(hub) || hub.freshness !== "current"

const pictureOf = ({ overview, panic }: TrayFacts): Picture => {
  if (panic.stopped) return { kind: "stopped" }
  const text = countText(overview)
  if (text !== "") return { kind: "waiting", text }
  return overview.hubs.some(isStale) ? { kind: "offline" } : { kind: "none" }
}

const waitingWords = ({ items, more }: Overview): string => {
  const approvals = items.filter(({ kind }) => kind === "approval").length
  const isOne = items.length === 1 && !more
  const words = approvals === items.length
    ? isOne ? "approval" : "approvals"
    : approvals === 0
    ? isOne ? "request" : "requests"
    : "approvals and requests"
  return `${items.length}${more ? " or more" : ""} pending ${words}`
}

const stopWords = {
  hub_changed: "another hub responds at its address",
  untrusted_certificate: "its certificate is not trusted",
  app_too_old: "it requires a newer app"
} as const

/** One line for such a hub: gray, with a time and the last known count. */
const staleWords = ({ count, freshness, name, problem, state }: HubOverview): string => {
  const who = plainLine(name, 40)
  const last = freshness === "last_known" && count > 0 ? `; ${count} pending then` : ""
  switch (state.phase) {
    case "signed_out":
      return `${who}: signed out`
    case "stopped":
      return `${who}: stopped, ${stopWords[state.cause.kind]}${last}`
    case "offline":
      return `${who}: not connected since ${clockWords(state.since)}${last}`
    case "connecting":
      return `${who}: connecting${last}`
    case "connected":
      return `${who}: ${
        problem === undefined
          ? "no data yet"
          : `pending approvals and requests cannot be read (${plainLine(problem, 40)})`
      }${last}`
  }
}

const deviceWords = ({ name, pausedUntil, phase, reason, running }: DeviceView): string => {
  const who = name === undefined ? "This device" : plainLine(name, 40)
  switch (phase) {
    case "off":
      return `${who}: off`
    case "unpaired":
      return `${who}: not paired`
    case "starting":
      return `${who}: starting`
    case "online":
      return running.length === 0 ? `${who}: online` : `${who}: online, ${running.length} running`
    case "offline":
      return `${who}: hub unreachable${running.length === 0 ? "" : `, ${running.length} running`}`
    case "paused":
      return `${who}: paused${pausedUntil === undefined ? "" : ` until ${clockWords(pausedUntil)}`}`
    case "ending":
      return `${who}: ending, ${running.length} running`
    case "stopped":
      return `${who}: stopped`
    case "restarting":
      return `${who}: ended, restarting`
    case "failed":
      return `${who}: ${plainLine(reason ?? "not running", 60)}`
  }
}

const headWords = ({ overview, panic }: TrayFacts): string => {
  if (panic.stopped) return `Stopped${panic.since === undefined ? "" : ` since ${clockWords(panic.since)}`}`
  if (overview.items.length > 0) return waitingWords(overview)
  if (overview.hubs.length === 0) return "No hub yet"
  if (overview.hubs.every(({ state }) => state.phase === "signed_out")) return "Signed out"
  if (overview.hubs.every(isAway)) return "Not connected"
  if (!overview.hubs.some(isStale)) return "No pending approvals or requests"
  if (overview.hubs.some((hub) => !isStale(hub))) return "No pending approvals or requests on the connected hubs"
  return overview.hubs.some(({ problem }) => problem !== undefined)
    ? "Pending approvals and requests cannot be read"
    : "No data yet"
}

const line: MenuEntry = { kind: "line" }

export const trayOf = (facts: TrayFacts): TrayModel => {
  const { device = deviceOff, now, overview, panic, quietUntil } = facts
  const picture = pictureOf(facts)
  const stale = overview.hubs.filter(isStale)
  const head = headWords(facts)
  const quiet = quietUntil !== undefined && quietUntil > now
  const newest = overview.items.slice(0, newestMax)
  const several = overview.hubs.length > 1
  const beside = panic.stopped && overview.items.length > 0 ? [waitingWords(overview)] : []
  const hasDevice = device.phase !== "off" && device.phase !== "unpaired"
  return {
    picture,
    title: picture.kind === "waiting" ? picture.text : "",
    tooltip: [`Countersign: ${head}`, ...beside, ...stale.map(staleWords)].slice(0, 4).join("\n"),
    badge: overview.items.length,
    menu: [
      { kind: "fact", label: head },
      ...beside.map((label): MenuEntry => ({ kind: "fact", label })),
      ...newest.map(({ expiresAt, hubName, id, kind, profile, sentence, workspace, ...row }): MenuEntry => ({
        kind: "act",
        label: [
          plainLine(sentence, 70),
          ...amountWords({ kind, ...row }),
          ...expiresAt !== undefined && expiresAt > now ? [`${periodWords(expiresAt - now)} left`] : [],
          ...several ? [plainLine(hubName, 24)] : []
        ].join(" · "),
        act: { kind: kind === "approval" ? "open_approval" : "open_inbox_row", profile, workspace, id }
      })),
      ...[...Map.groupBy(overview.items.slice(newest.length), ({ profile }) => profile)].map((
        [profile, rest]
      ): MenuEntry => ({
        kind: "act",
        label: `${rest.length} more${several ? ` · ${plainLine(rest[0]?.hubName ?? "", 24)}` : ""}`,
        act: { kind: "open_hub", profile }
      })),
      ...stale.length > 0
        ? [
          line,
          ...stale.map((hub): MenuEntry =>
            hub.state.phase === "stopped" || hub.state.phase === "signed_out"
              ? { kind: "act", label: staleWords(hub), act: { kind: "open_hub", profile: hub.profile } }
              // Gray, since no action other than waiting is available.
              : { kind: "fact", label: staleWords(hub) }
          )
        ]
        : [],
      ...stale.some(({ state }) => state.phase === "offline")
        ? [{ kind: "act", label: "Try again now", act: { kind: "retry" } } as const]
        : [],
      line,
      { kind: "act", label: deviceWords(device), act: { kind: "open_device" } },
      ...!hasDevice || panic.stopped
        ? []
        : device.failure === "superseded" || device.failure === "revoked"
        ? []
        : device.phase === "failed"
        ? [{ kind: "act", label: "Try this device again", act: { kind: "resume_device" } } as const]
        : device.phase === "paused"
        ? [{ kind: "act", label: "Let this device go on", act: { kind: "resume_device" } } as const]
        : [
          {
            kind: "act",
            label: "Pause this device for 1 h",
            act: { kind: "pause_device", minutes: pauseMinutes }
          } as const
        ],
      quiet
        ? {
          kind: "act",
          label: `Notify again (quiet until ${clockWords(quietUntil)})`,
          act: { kind: "resume_notices" }
        }
        : { kind: "act", label: "Pause notifications for 1 h", act: { kind: "pause_notices", minutes: pauseMinutes } },
      line,
      panic.stopped
        ? { kind: "act", label: "Resume…", act: { kind: "open_panic" } }
        : { kind: "act", label: "Stop everything on this device", act: { kind: "panic" } },
      line,
      { kind: "act", label: "Open Countersign", act: { kind: "open" } },
      { kind: "act", label: "Quit", act: { kind: "quit" } }
    ]
  }
}
