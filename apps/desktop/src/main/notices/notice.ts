/**
 * The text of a notification: by default the agent, the operation, and the amount; the payload, or the text of a request,
 * only if the profile's owner enabled it, masked. Spec: reference/desktop.md "E14: private notifications", "E16: foreign text".
 */
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { dollars, periodWords, plainLine } from "../platform/plain-text.ts"
import type { WaitingItem } from "../waiting/overview.ts"
import { amountWords } from "../waiting/row.ts"

/** Up to this many arrivals are shown separately; more are combined per hub. */
export const singlesMax = 3

export type NoticeTarget =
  | { readonly kind: "approval"; readonly profile: ProfileId; readonly workspace: string; readonly id: string }
  /** An agent request or a budget request, open in the inbox. */
  | { readonly kind: "inbox_row"; readonly profile: ProfileId; readonly workspace: string; readonly id: string }
  | { readonly kind: "inbox"; readonly profile: ProfileId }
  /** A screen of the console, by its path. */
  | { readonly kind: "screen"; readonly profile: ProfileId; readonly path: string }

export interface Notice {
  /** The approvals and requests in the notification; each is removed when it is decided. */
  readonly keys: ReadonlyArray<string>
  readonly title: string
  readonly body: string
  readonly target: NoticeTarget
  readonly reminder: boolean
}

export const noticeOf = (item: WaitingItem, now: number, reminder: boolean): Notice => {
  const { expiresAt, hubName, id, key, kind, profile, sentence, summary, workspace } = item
  const left = expiresAt !== undefined && expiresAt > now ? [`${periodWords(expiresAt - now)} left`] : []
  const about = [...amountWords(item), ...left, plainLine(hubName, 40)].join(" · ")
  return {
    keys: [key],
    title: reminder ? `Still pending: ${sentence}` : sentence,
    body: summary === undefined ? about : `${about}\n${summary}`,
    target: { kind: kind === "approval" ? "approval" : "inbox_row", profile, workspace, id },
    reminder
  }
}

const agentsShown = 3

const kinds = {
  approval: ["approval", "approvals"],
  agent_request: ["agent request", "agent requests"],
  budget_request: ["budget request", "budget requests"]
} as const

/** `2 approvals, 1 budget request`. */
const countsOf = (items: ReadonlyArray<WaitingItem>): string =>
  (["approval", "agent_request", "budget_request"] as const).flatMap((kind) => {
    const count = items.filter((item) => item.kind === kind).length
    return count === 0 ? [] : [`${count} ${kinds[kind][count === 1 ? 0 : 1]}`]
  }).join(", ")

/** Combines the items of one hub; `first` is one of them. */
const batchOf = (first: WaitingItem, items: ReadonlyArray<WaitingItem>, reminder: boolean): Notice => {
  const byAgent = new Map<string, number>()
  for (const { agent } of items) byAgent.set(agent, (byAgent.get(agent) ?? 0) + 1)
  const agents = [...byAgent].sort((a, b) => b[1] - a[1])
  const shown = agents.slice(0, agentsShown).map(([agent, count]) => count === 1 ? agent : `${agent} (${count})`)
  const who = [...shown, ...agents.length > agentsShown ? [`${agents.length - agentsShown} more`] : []].join(", ")
  // Costs of approvals and increases of budgets have no meaningful sum.
  const sum = items.every(({ kind }) => kind === "approval")
    ? [dollars(items.reduce((total, { cents = 0 }) => total + cents, 0))]
    : []
  return {
    keys: items.map(({ key }) => key),
    title: `${countsOf(items)} ${reminder ? "still pending" : "pending"}`,
    body: [...sum, who, plainLine(first.hubName, 40)].join(" · "),
    target: { kind: "inbox", profile: first.profile },
    reminder
  }
}

export const noticesOf = (items: ReadonlyArray<WaitingItem>, now: number, reminder: boolean): ReadonlyArray<Notice> => {
  if (items.length <= singlesMax) return items.map((item) => noticeOf(item, now, reminder))
  return [...Map.groupBy(items, ({ profile }) => profile).values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [rest.length === 0 ? noticeOf(first, now, reminder) : batchOf(first, [first, ...rest], reminder)]
  )
}
