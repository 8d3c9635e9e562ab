/** A linear scale from a zero baseline with few round ticks. Design brief 32: zero baseline, no smoothing. */

export interface NiceScale {
  readonly max: number
  readonly ticks: ReadonlyArray<number>
}

/** `whole`: ticks are integers (counts, cents). A maximum of 0 gives one step, to avoid a division by zero. */
export const niceScale = (largest: number, steps = 4, whole = true): NiceScale => {
  const rough = Math.max(largest, 0) / steps
  const power = rough > 0 ? 10 ** Math.floor(Math.log10(rough)) : 1
  const step = rough > 0 ? ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power : 1
  const rounded = whole ? Math.max(1, Math.ceil(step)) : step
  const count = Math.max(1, Math.ceil(largest / rounded - 1e-9))
  return { max: rounded * count, ticks: Array.from({ length: count + 1 }, (_, at) => at * rounded) }
}

/**
 * The same for cents: in whole dollars if the maximum exceeds ten dollars, so that an axis shows $25 and not $24.75.
 */
export const niceMoneyScale = (largest_cents: number, steps = 4): NiceScale => {
  if (largest_cents < 1000) return niceScale(largest_cents, steps)
  const { max, ticks } = niceScale(largest_cents / 100, steps)
  return { max: max * 100, ticks: ticks.map((tick) => tick * 100) }
}
