/** A cron expression as a sentence. Of valid expressions only: the domain's `parseCron` checks them. */
import { cronText } from "../text/schedules.ts"

const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *"
}

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
] as const
const ordinals = ["first", "second", "third", "fourth", "fifth"] as const

const listed = (words: ReadonlyArray<string>, joint: "and" | "or" = "and"): string =>
  words.length < 2 ? words.join("") : words.length === 2
    ? words.join(` ${joint} `)
    : `${words.slice(0, -1).join(", ")}, ${joint} ${words.at(-1)}`

/** The position of a name such as `MON`, or of a number, in a list of names. */
const indexIn = (names: ReadonlyArray<string>, text: string, first: number): number => {
  const named = names.findIndex((name) => name.slice(0, 3).toUpperCase() === text.toUpperCase())
  return named === -1 ? (Number(text) - first) % names.length : named
}

const dayName = (text: string): string => days[indexIn(days, text, 0)] ?? text
const monthName = (text: string): string => months[indexIn(months, text, 1)] ?? text

const isWhole = (field: string): boolean => /^\d+$/u.test(field)
const isList = (field: string): boolean => field.split(",").every(isWhole)
const two = (text: string): string => text.padStart(2, "0")

/** "5", "1 to 5", "every 10th", "every 10th from 5 to 40". */
const part = (text: string, name: (one: string) => string): string => {
  const [range = "", step] = text.split("/")
  const [from = "", to] = range.split("-")
  const within = range === "*" ? "" : to === undefined ? name(from) : `${name(from)} to ${name(to)}`
  if (step === undefined || step === "1") return within
  return within === "" ? `every ${nth(Number(step))}` : `every ${nth(Number(step))} from ${within}`
}

const nth = (number: number): string => {
  const rest = number % 100
  const ending = rest > 10 && rest < 14 ? "th" : ["th", "st", "nd", "rd"][number % 10] ?? "th"
  return `${number}${ending}`
}

const parts = (field: string, name: (one: string) => string): string =>
  listed(field.split(",").map((each) => part(each, name)))

/** "Every 15 minutes", "At 09:00 and 17:30", "At minute 5 of every hour". */
const timeOf = (minute: string, hour: string): string => {
  const step = /^(?:\*|0)\/(\d+)$/u.exec(minute)?.[1]
  if (hour === "*") {
    if (minute === "*" || step === "1") return "Every minute"
    if (step !== undefined && 60 % Number(step) === 0) return `Every ${step} minutes`
    return `At minute ${parts(minute, String)} of every hour`
  }
  const hourStep = /^(?:\*|0)\/(\d+)$/u.exec(hour)?.[1]
  if (hourStep !== undefined && minute === "0" && 24 % Number(hourStep) === 0) {
    return hourStep === "1" ? "Every hour" : `Every ${hourStep} hours, on the hour`
  }
  if (isList(minute) && isList(hour)) {
    const times = hour.split(",").flatMap((each) => minute.split(",").map((one) => `${two(each)}:${two(one)}`))
    if (times.length <= 6) return `At ${listed(times)}`
  }
  const minutes = minute === "*" ? "Every minute" : step !== undefined && 60 % Number(step) === 0
    ? `Every ${step} minutes`
    : `At minute ${parts(minute, String)}`
  const hours = hourStep === undefined ? `of hour ${parts(hour, two)}` : `of every ${nth(Number(hourStep))} hour`
  return `${minutes} ${hours}`
}

const dateOf = (field: string): string =>
  listed(
    field.split(",").map((each) => {
      if (each === "L") return "on the last day of the month"
      const near = /^(\d+)W$/u.exec(each)?.[1]
      if (near !== undefined) return `on the weekday nearest to the ${nth(Number(near))}`
      if (each.includes("/")) return `on ${part(each, (one) => `day ${one}`).replace(/^every (\S+)/u, "every $1 day")}`
      return each.includes("-") ? `on days ${part(each, String)}` : `on the ${nth(Number(each))}`
    })
  )

const weekdayOf = (field: string): string =>
  listed(
    field.split(",").map((each) => {
      const [, day = "", position = ""] = /^(\w+)#(\d)$/u.exec(each) ?? []
      if (day !== "") return `on the ${ordinals[Number(position) - 1] ?? position} ${dayName(day)} of the month`
      const last = /^(\d|[A-Za-z]{3})L$/u.exec(each)?.[1]
      if (last !== undefined) return `on the last ${dayName(last)} of the month`
      return `on ${part(each, dayName)}`
    })
  ).replaceAll(/(?<=(?:,| and) )on (?!the)/gu, "")

export const cronWords = (text: string): string => {
  const [minute = "", hour = "", date = "", month = "", weekday = ""] = (nicknames[text.trim().toLowerCase()] ?? text)
    .trim().split(/\s+/u)
  const isDaily = date === "*" && weekday === "*"
  const time = timeOf(minute, hour)
  const dayWords = [
    ...date === "*" ? [] : [dateOf(date)],
    ...weekday === "*" ? [] : [weekdayOf(weekday)]
  ]
  const dayText = isDaily ? (time.startsWith("At ") && !time.includes("every") ? " every day" : "") : `, ${
    // With both day fields, a day that fits either is due.
    listed(dayWords, "or")}`
  const monthText = month === "*" ? "" : `, in ${parts(month, monthName)}`
  return cronText.sentence(`${time}${dayText}${monthText}.`)
}
