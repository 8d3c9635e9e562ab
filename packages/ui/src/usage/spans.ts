/** Which days the screen is about, and what changed against as many before. Days are UTC, `2026-11-21`. */
import { dayAfter, dayMillis } from "../listing/period.ts"

export interface Span {
  readonly from: string
  readonly to: string
}

/** Days of one chart at most, as the hub draws them. */
const chartDaysMax = 366
const windows = [30, 90, chartDaysMax] as const

export const daysIn = ({ from, to }: Span): number => Math.round((Date.parse(to) - Date.parse(from)) / dayMillis) + 1

/** The last `days`, today with them. */
export const lastDays = (today: string, days: number): Span => ({ from: dayAfter(today, 1 - days), to: today })

/** What is marked, with its open ends closed; undefined when nothing is. Days that are told the wrong way round are turned. */
export const markedSpan = (from: string | undefined, to: string | undefined, today: string): Span | undefined => {
  if (from === undefined && to === undefined) return undefined
  const [one, two] = [from?.slice(0, 10) ?? dayAfter(to!.slice(0, 10), -29), to?.slice(0, 10) ?? today]
  return one <= two ? { from: one, to: two } : { from: two, to: one }
}

/** What the chart spans: the shortest usual window that holds what is marked, else the marked days themselves. */
export const windowOf = (marked: Span | undefined, today: string): Span => {
  const usual = windows.map((days) => lastDays(today, days))
  if (marked === undefined) return usual[0]!
  const holding = usual.find((span) => span.from <= marked.from && marked.to <= span.to)
  return holding ??
    (daysIn(marked) <= chartDaysMax ? marked : { from: dayAfter(marked.to, 1 - chartDaysMax), to: marked.to })
}

export const spanBefore = (span: Span): Span => {
  const days = daysIn(span)
  return { from: dayAfter(span.from, -days), to: dayAfter(span.from, -1) }
}

export type Change =
  | { readonly kind: "more" | "less"; readonly by: number; readonly percent: number }
  | { readonly kind: "same" | "first" }

/** `percent` of what was before, rounded. */
export const changeFrom = (before: number, now: number): Change => {
  if (before === now) return { kind: before === 0 ? "first" : "same" }
  if (before === 0) return { kind: "first" }
  const by = Math.abs(now - before)
  return { kind: now > before ? "more" : "less", by, percent: Math.round(by / Math.abs(before) * 100) }
}
