/** A duration in its two largest units: "12 ms", "4.2 s", "3 min 10 s", "2 h 5 min", "1 d 3 h". */
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const two = (millis: number, large: number, small: number, names: readonly [string, string]): string => {
  const rest = Math.floor((millis % large) / small)
  return `${Math.floor(millis / large)} ${names[0]}${rest === 0 ? "" : ` ${rest} ${names[1]}`}`
}

export const durationText = (millis: number): string => {
  if (millis < second) return `${Math.max(0, Math.round(millis))} ms`
  if (millis < 10 * second) return `${(Math.floor(millis / 100) / 10).toFixed(1)} s`
  if (millis < minute) return `${Math.floor(millis / second)} s`
  if (millis < hour) return two(millis, minute, second, ["min", "s"])
  return millis < day ? two(millis, hour, minute, ["h", "min"]) : two(millis, day, hour, ["d", "h"])
}
