/**
 * What a notification says. By default who, what and how much; what is asked for only where its owner switched that on, masked.
 * Spec: E14, E16.
 */
import { dollars, periodWords, plainLine } from "../plain-text.ts"
import type { ProfileId } from "../profiles/profile.ts"
import type { WaitingItem } from "../waiting/overview.ts"

/** This many that arrive together are told one by one. */
export const singlesMax = 3

export type NoticeTarget =
  | { readonly kind: "approval"; readonly profile: ProfileId; readonly workspace: string; readonly id: string }
  | { readonly kind: "inbox" }

export interface Notice {
  /** Of what it tells: each is taken away when it was decided. */
  readonly keys: ReadonlyArray<string>
  readonly title: string
  readonly body: string
  readonly target: NoticeTarget
  readonly reminder: boolean
}

export const noticeOf = (item: WaitingItem, now: number, reminder: boolean): Notice => {
  const { costCents, expiresAt, hubName, id, key, profile, sentence, summary, workspace } = item
  const left = expiresAt > now ? [`${periodWords(expiresAt - now)} left`] : []
  const about = [dollars(costCents), ...left, plainLine(hubName, 40)].join(" · ")
  return {
    keys: [key], title: reminder ? `Still waits: ${sentence}` : sentence,
    body: summary === undefined ? about : `${about}\n${summary}`,
    target: { kind: "approval", profile, workspace, id }, reminder
  }
}

const agentsShown = 3

export const batchOf = (items: ReadonlyArray<WaitingItem>, reminder: boolean): Notice => {
  const byAgent = new Map<string, number>()
  for (const { agent } of items) byAgent.set(agent, (byAgent.get(agent) ?? 0) + 1)
  const agents = [...byAgent].sort((a, b) => b[1] - a[1])
  const shown = agents.slice(0, agentsShown).map(([agent, count]) => count === 1 ? agent : `${agent} (${count})`)
  const sum = items.reduce((total, { costCents }) => total + costCents, 0)
  return {
    keys: items.map(({ key }) => key),
    title: `${items.length} decisions ${reminder ? "still wait" : "wait"}`,
    body: `${dollars(sum)} · ${[...shown, ...agents.length > agentsShown ? [`${agents.length - agentsShown} more`] : []].join(", ")}`,
    target: { kind: "inbox" }, reminder
  }
}

export const noticesOf = (items: ReadonlyArray<WaitingItem>, now: number, reminder: boolean): ReadonlyArray<Notice> =>
  items.length > singlesMax ? [batchOf(items, reminder)] : items.map((item) => noticeOf(item, now, reminder))
