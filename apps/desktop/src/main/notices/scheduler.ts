/**
 * Decides when a notification is shown: once per approval or request, over all hubs and restarts, and a reminder at
 * half of its lifetime, if it expires. Those that arrive together share a notification; those that arrive in quiet hours
 * are shown afterwards if they are still pending. Spec: reference/desktop.md "Notifications".
 */
import type { QuietHours } from "../../bridge/settings-schemas.ts"
import type { NoticeProblem } from "../../bridge/this-computer.ts"
import type { Overview, WaitingItem } from "../waiting/overview.ts"
import { type Notice, noticesOf, type NoticeTarget } from "./notice.ts"
import { isQuiet } from "./quiet.ts"
import type { NoticeRecord } from "./record.ts"

/** Arrivals within this time are shown together. */
export const gatherMillis = 1_000
/** How often quiet hours and reminders are checked. */
export const checkMillis = 15_000

export interface NoticeRules {
  readonly enabled: boolean
  readonly remind: boolean
  readonly quiet: ReadonlyArray<QuietHours>
}

export interface NoticeScreen {
  /** `onClick` opens a screen; a notification decides nothing. */
  readonly show: (notice: Notice, onClick: () => void) => void
  /** Closes the notifications of these approvals and requests. */
  readonly close: (keys: ReadonlyArray<string>) => void
  /** Shows a test notification. Resolves to the problem that the system reports, if any. */
  readonly tryOut: (onClick: () => void) => Promise<NoticeProblem | null>
  /** The problem of the last notification. */
  readonly problem: () => NoticeProblem | null
  readonly subscribe: (listener: () => void) => () => void
}

export interface NoticeSchedulerOptions {
  readonly record: NoticeRecord
  readonly screen: Pick<NoticeScreen, "close" | "show">
  /** The app's and the profile's rules combined. */
  readonly rulesOf: (item: WaitingItem) => NoticeRules
  readonly open: (target: NoticeTarget) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly after: (millis: number, act: () => void) => () => void
}

export interface NoticeScheduler {
  readonly update: (overview: Overview) => void
  /** Shows nothing until then; undefined: resumes at once. */
  readonly pause: (until: number | undefined) => void
  readonly quietUntil: () => number | undefined
  readonly close: () => void
}

export const makeNoticeScheduler = (
  { after, now, open, record, rulesOf, screen }: NoticeSchedulerOptions
): NoticeScheduler => {
  let items: ReadonlyArray<WaitingItem> = []
  /** Keys whose notification may still be visible. */
  const shown = new Set<string>()
  let pausedUntil: number | undefined
  let gathering: (() => void) | undefined

  const mayShow = (item: WaitingItem, at: number): boolean => {
    const { enabled, quiet } = rulesOf(item)
    return enabled && !(pausedUntil !== undefined && at < pausedUntil) && !isQuiet(quiet, new Date(at))
  }
  const isHalfOver = ({ expiresAt, requestedAt }: WaitingItem, at: number): boolean =>
    expiresAt !== undefined && at >= requestedAt + (expiresAt - requestedAt) / 2

  const show = (group: ReadonlyArray<WaitingItem>, reminder: boolean, at: number): void => {
    if (group.length === 0) return
    // In order of arrival.
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

  const showDue = (): void => {
    const at = now()
    const may = items.filter((item) => mayShow(item, at))
    const fresh = may.filter(({ key }) => !record.wasShown(key))
    const late = may.filter((item) =>
      record.wasShown(item.key) && !record.wasReminded(item.key) && rulesOf(item).remind && isHalfOver(item, at) &&
      at < (item.expiresAt ?? Infinity)
    )
    // After half of the lifetime, the first notification replaces the reminder.
    const done = [...fresh.filter((item) => isHalfOver(item, at)), ...late].map(({ key }) => key)
    const begun = fresh.filter((item) => !isHalfOver(item, at)).map(({ key }) => key)
    if (begun.length > 0) record.add(begun)
    if (done.length > 0) record.add(done, { reminded: true })
    show(fresh, false, at)
    show(late, true, at)
  }

  const gather = (): void => {
    gathering ??= after(gatherMillis, () => {
      gathering = undefined
      showDue()
    })
  }

  let cancelCheck = (): void => {}
  const planCheck = (): void => {
    cancelCheck = after(checkMillis, () => {
      showDue()
      planCheck()
    })
  }
  planCheck()

  return {
    update: ({ hubs, items: next }) => {
      const present = new Set(next.map(({ key }) => key))
      // The rows of a lost hub are unknown, so its notifications stay.
      const away = new Set(hubs.filter(({ freshness }) => freshness !== "current").map(({ hubId }) => hubId))
      const over = [...shown].filter((key) => !present.has(key) && !away.has(key.slice(0, key.indexOf(" "))))
      for (const key of over) shown.delete(key)
      if (over.length > 0) screen.close(over)
      items = next
      if (items.some(({ key }) => !record.wasShown(key))) gather()
    },
    pause: (until) => {
      pausedUntil = until
      if (until === undefined) gather()
    },
    quietUntil: () => pausedUntil !== undefined && now() < pausedUntil ? pausedUntil : undefined,
    close: () => {
      gathering?.()
      cancelCheck()
    }
  }
}
