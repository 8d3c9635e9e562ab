/** Polls unfinished requests. Spec: reference/clients.md "Polling". */

const firstMillis = 2_000
const factor = 1.5
const capMillis = 10_000
/** The total time of one polling. */
export const pollBudgetMillis = 300_000

export interface Polling<A> {
  readonly look: () => Promise<A>
  readonly isDone: (value: A) => boolean
  readonly budget: number
  readonly sleep: (millis: number) => Promise<void>
}

/** Looks again after 2 s, 3 s, 4.5 s, 6.75 s, then 10 s; at the end of the time the latest value is the answer. */
export const polling = async <A>(seen: A, { budget, isDone, look, sleep }: Polling<A>): Promise<A> => {
  let value = seen
  let left = budget
  for (let count = 0; !isDone(value) && left > 0; count++) {
    const pause = Math.min(left, capMillis, firstMillis * factor ** count)
    await sleep(pause)
    const began = Date.now()
    value = await look()
    left -= pause + (Date.now() - began)
  }
  return value
}
