/** The days of the screen, and the change from the same number of days before. Days are UTC, `2026-11-21`. */
import { dayAfter, dayMillis } from "../listing/period.ts"

export interface Span {
  readonly from: string
  readonly to: string
}

/** Maximum number of days in a chart, from the hub. */
const chartDaysMax = 366
const windows = [30, 90, chartDaysMax] as const

export const daysIn = ({ from, to }: Span): number => Math.round((Date.parse(to) - Date.parse(from)) / dayMillis) + 1

/** The last `days` days, including today. */
export const lastDays = (today: string, days: number): Span => ({ from: dayAfter(today, 1 - days), to: today })

/** The selected days with open ends filled in; undefined for no selection. Reversed ends are swapped. */
export const markedSpan = (from: string | undefined, to: string | undefined, today: string): Span | undefined => {
  if (from === undefined && to === undefined) return undefined
  const [one, two] = [from?.slice(0, 10) ?? dayAfter(to!.slice(0, 10), -29), to?.slice(0, 10) ?? today]
  return one <= two ? { from: one, to: two } : { from: two, to: one }
}

/** The span of the chart: the shortest standard window that contains the selection, otherwise the selection itself. */
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

/** `percent` of the previous value, rounded. */
export const changeFrom = (before: number, now: number): Change => {
  if (before === now) return { kind: before === 0 ? "first" : "same" }
  if (before === 0) return { kind: "first" }
  const by = Math.abs(now - before)
  return { kind: now > before ? "more" : "less", by, percent: Math.round(by / Math.abs(before) * 100) }
}
