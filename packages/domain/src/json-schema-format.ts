/**
 * The values of `format` that a schema asserts (JSON Schema 2020-12 validation, section 7.3). Any other is an
 * annotation.
 *
 * None of the expressions below can backtrack: each repeat is over one character class, or over parts that a separator
 * divides. Omitted are the `url` of common validators, whose well-known expression is exponential, and the `idn-`
 * formats, which need the IDNA tables; an A-label (`xn--`) is checked like any other host name.
 */
import { Result } from "effect"
import { parsePointer } from "./pointer.ts"
import { compileRegex } from "./regex.ts"

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28)
    : [4, 6, 9, 11].includes(month)
    ? 30
    : 31

const isDate = (text: string): boolean => {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (parts === null) return false
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/** RFC 3339 full-time. A leap second is valid only at 23:59:60 UTC. */
const isTime = (text: string): boolean => {
  const parts = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))$/.exec(text)
  if (parts === null) return false
  const [hour, minute, second] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [offsetHour, offsetMinute] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  const offset = (parts[4] === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  return (hour * 60 + minute - offset + 1440) % 1440 === 1439
}

const isDateTime = (text: string): boolean =>
  /^.{10}[tT]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))

/** RFC 3339, appendix A: weeks alone, or units in descending order without a gap. */
const isDuration = (text: string): boolean => {
  const [days = "", ...times] = text.slice(1).split("T")
  if (!text.startsWith("P") || times.length > 1) return false
  const time = times[0]
  if (time !== undefined && !/^(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)$/.test(time)) return false
  return /^(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)$/.test(days) ||
    (time === undefined ? /^\d+W$/.test(days) : days === "")
}

const isIpv4 = (text: string): boolean => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

/** RFC 4291 without a zone. A dotted IPv4 tail counts as two groups. */
const isIpv6 = (text: string): boolean => {
  const halves = text.split("::")
  if (halves.length > 2) return false
  let groups = 0
  for (const [at, half] of halves.entries()) {
    if (half === "") continue
    const parts = half.split(":")
    for (const [index, part] of parts.entries()) {
      if (part.includes(".")) {
        if (at !== halves.length - 1 || index !== parts.length - 1 || !isIpv4(part)) return false
        groups += 2
      } else {
        if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return false
        groups++
      }
    }
  }
  return halves.length === 2 ? groups <= 7 : groups === 8
}

const isHostname = (text: string): boolean =>
  text.length <= 253 &&
  text.split(".").every((label) => /^[A-Za-z0-9-]{1,63}$/.test(label) && !label.startsWith("-") && !label.endsWith("-"))

/** RFC 5321 mailbox: dot-atom or quoted local part; a domain, or an address literal in brackets. */
const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  const name = text.slice(0, at)
  const host = text.slice(at + 1)
  if (at < 1 || name.length > 64) return false
  if (!quoted.test(name) && !name.split(".").every((part) => atom.test(part))) return false
  if (!host.startsWith("[")) return isHostname(host)
  const literal = host.slice(1, -1)
  return host.endsWith("]") && (/^ipv6:/i.test(literal) ? isIpv6(literal.slice(5)) : isIpv4(literal))
}
const quoted = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/
const atom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/

/** RFC 3986 by its parts; `iri` also allows characters beyond ASCII. */
const isReference = (text: string, absolute: boolean, international: boolean): boolean => {
  const beyond = international ? "\u00A0-\u{10FFFD}" : ""
  const letters = new RegExp(`^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?\\[\\]#${beyond}-]|%[0-9A-Fa-f]{2})*$`, "u")
  if (!letters.test(text)) return false
  const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/su.exec(text)
  if (parts === null) return false
  const [, scheme, authority, path = "", query = "", fragment = ""] = parts
  if (scheme === undefined ? absolute || text.startsWith(":") : !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) return false
  if (/[[\]#]/.test(path + query + fragment)) return false
  if (authority === undefined) return true
  const host = /^(?:([^@]*)@)?(\[[^[\]]*\]|[^[\]:@]*)(?::\d*)?$/.exec(authority)
  if (host === null || /[[\]]/.test(host[1] ?? "")) return false
  const literal = host[2] ?? ""
  return !literal.startsWith("[") || isIpv6(literal.slice(1, -1)) || futureAddress.test(literal)
}
const futureAddress = /^\[[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+\]$/

/** RFC 6570: braces are paired and contain variable names. */
const isUriTemplate = (text: string): boolean =>
  text.split(/(\{[^{}]*\})/).every((part, at) =>
    at % 2 === 0
      ? !/[^\x21-\x7e\u0080-\uffff]|["<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/.test(part)
      : part.slice(1, -1).replace(/^[+#./;?&=,!@|]/, "").split(",").every((name) =>
        /^(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+(?::[1-9]\d{0,3}|\*)?$/.test(name) && !/^\.|\.\.|\.(?:$|[:*])/.test(name)
      )
  )

const isPointer = (text: string): boolean => Result.isSuccess(parsePointer(text))

const isRelativePointer = (text: string): boolean => {
  const parts = /^(?:0|[1-9]\d*)(#|\/.*)?$/s.exec(text)
  return parts !== null && (parts[1] === undefined || parts[1] === "#" || isPointer(parts[1]))
}

const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["time", isTime],
  ["date-time", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["uri", (text: string) => isReference(text, true, false)],
  ["uri-reference", (text: string) => isReference(text, false, false)],
  ["iri", (text: string) => isReference(text, true, true)],
  ["iri-reference", (text: string) => isReference(text, false, true)],
  ["uri-template", isUriTemplate],
  ["uuid", (text: string) => /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/.test(text)],
  ["json-pointer", isPointer],
  ["relative-json-pointer", isRelativePointer],
  ["regex", (text: string) => Result.isSuccess(compileRegex(text))]
])

/** The check of a format; undefined for one that only annotates (`int64`, `password`, `binary` …). */
export const formatCheck = (format: string): ((text: string) => boolean) | undefined => formats.get(format)
