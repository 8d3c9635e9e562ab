/**
 * The drawing of a seal: eight ticks of 3 to 12 px from the first eight nibbles of a payload's digest. Design brief 2.
 */

export interface SealTick {
  readonly x: number
  readonly height: number
}

const ticks = 8
const tickWidth = 2
const gap = 1
const least = 3
const most = 12

/** An invalid digest has all ticks at their minimum, so that it cannot be mistaken for a seal. */
export const sealTicks = (digest: string): ReadonlyArray<SealTick> => {
  const whole = /^[0-9a-f]{8}/i.test(digest)
  return Array.from({ length: ticks }, (_, at) => ({
    x: at * (tickWidth + gap),
    height: whole ? least + Math.round(Number.parseInt(digest.charAt(at), 16) * (most - least) / 15) : least
  }))
}

/** The eight characters shown beside it. */
export const sealText = (digest: string): string => digest.slice(0, ticks)
