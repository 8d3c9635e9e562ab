const times = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short" })
const exact = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "medium" })

/** In this computer's time zone: "Nov 21, 2026, 7:04 PM". */
export const timeWords = (at: number | string): string => times.format(new Date(at))
/** With seconds, where the order of events matters. */
export const exactTime = (at: number | string): string => exact.format(new Date(at))
