const times = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short" })
const exact = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "medium" })

/** Of this computer's clock: "Nov 21, 2026, 7:04 PM". */
export const timeWords = (at: number | string): string => times.format(new Date(at))
/** To the second, where one looks for what came before what. */
export const exactTime = (at: number | string): string => exact.format(new Date(at))
