/**
 * When a person is told: once for each approval, over all hubs and restarts, and once more at half of its life. What comes
 * together is told together; what comes in quiet hours is told when they end, if it still waits. Spec: desktop 4.2
 * "Notifications".
 */
import type { Overview, WaitingItem } from "../waiting/overview.ts"
import type { ToldOf } from "./kept.ts"
import { type Notice, noticesOf, type NoticeTarget } from "./notice.ts"
import { isQuiet, type QuietHours } from "./quiet.ts"

/** Arrivals within this time are told together. */
export const gatherMillis = 1_000
/** How often quiet hours and half lives are looked at. */
export const lookMillis = 15_000

export interface BellRules {
  readonly enabled: boolean
  readonly remind: boolean
  readonly quiet: ReadonlyArray<QuietHours>
}

/** The system shows none at all; it did not show this one. */
export type NoticeProblem = "none_here" | "failed"

export interface NoticeScreen {
  /** `onClick` opens; no notice decides anything. */
  readonly show: (notice: Notice, onClick: () => void) => void
  /** What told of this is taken away. */
  readonly close: (keys: ReadonlyArray<string>) => void
  /** One that tells of nothing: what the system said of it, as far as it says anything. */
  readonly tryOut: (onClick: () => void) => Promise<NoticeProblem | null>
  /** Of the last one that was to be shown. */
  readonly problem: () => NoticeProblem | null
  readonly subscribe: (listener: () => void) => () => void
}

export interface BellOptions {
  readonly told: ToldOf
  readonly screen: Pick<NoticeScreen, "close" | "show">
  /** Of the app and of this profile, together. */
  readonly rulesOf: (item: WaitingItem) => BellRules
  readonly open: (target: NoticeTarget) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly after: (millis: number, act: () => void) => () => void
}

export interface Bell {
  readonly hear: (overview: Overview) => void
  /** Nothing rings until then; none: at once again. */
  readonly pause: (until: number | undefined) => void
  readonly quietUntil: () => number | undefined
  readonly close: () => void
}

export const makeBell = ({ after, now, open, rulesOf, screen, told }: BellOptions): Bell => {
  let items: ReadonlyArray<WaitingItem> = []
  /** Told of by what stands on the screen, maybe. */
  const shown = new Set<string>()
  let pausedUntil: number | undefined
  let gathering: (() => void) | undefined

  const mayRing = (item: WaitingItem, at: number): boolean => {
    const { enabled, quiet } = rulesOf(item)
    return enabled && !(pausedUntil !== undefined && at < pausedUntil) && !isQuiet(quiet, new Date(at))
  }
  const isHalfOver = ({ expiresAt, requestedAt }: WaitingItem, at: number): boolean =>
    at >= requestedAt + (expiresAt - requestedAt) / 2

  const show = (group: ReadonlyArray<WaitingItem>, reminder: boolean, at: number): void => {
    if (group.length === 0) return
    // In the order in which they came.
    const notices = noticesOf(
      [...group].sort((a, b) => a.requestedAt - b.requestedAt || (a.id < b.id ? -1 : 1)),
      at,
      reminder
    )
    for (const notice of notices) {
      for (const key of notice.keys) shown.add(key)
      screen.show(notice, () => open(notice.target))
    }
  }

  const ring = (): void => {
    const at = now()
    const may = items.filter((item) => mayRing(item, at))
    const fresh = may.filter(({ key }) => !told.wasTold(key))
    const late = may.filter((item) =>
      told.wasTold(item.key) && !told.wasReminded(item.key) && rulesOf(item).remind && isHalfOver(item, at) &&
      at < item.expiresAt
    )
    // The first notice of what is half over is its reminder, too.
    const done = [...fresh.filter((item) => isHalfOver(item, at)), ...late].map(({ key }) => key)
    const begun = fresh.filter((item) => !isHalfOver(item, at)).map(({ key }) => key)
    if (begun.length > 0) told.tell(begun)
    if (done.length > 0) told.tell(done, { reminded: true })
    show(fresh, false, at)
    show(late, true, at)
  }

  const gather = (): void => {
    gathering ??= after(gatherMillis, () => {
      gathering = undefined
      ring()
    })
  }

  let stopLooking = (): void => {}
  const look = (): void => {
    stopLooking = after(lookMillis, () => {
      ring()
      look()
    })
  }
  look()

  return {
    hear: ({ hubs, items: next }) => {
      const present = new Set(next.map(({ key }) => key))
      // Of a hub that is lost nothing is known: what was told of it stays.
      const away = new Set(hubs.filter(({ standing }) => standing !== "current").map(({ hubId }) => hubId))
      const over = [...shown].filter((key) => !present.has(key) && !away.has(key.slice(0, key.indexOf(" "))))
      for (const key of over) shown.delete(key)
      if (over.length > 0) screen.close(over)
      items = next
      if (items.some(({ key }) => !told.wasTold(key))) gather()
    },
    pause: (until) => {
      pausedUntil = until
      if (until === undefined) gather()
    },
    quietUntil: () => pausedUntil !== undefined && now() < pausedUntil ? pausedUntil : undefined,
    close: () => {
      gathering?.()
      stopLooking()
    }
  }
}
