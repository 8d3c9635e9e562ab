/**
 * A pairing code as people type it: Crockford's base32, in any case, with or without the hyphen. Spec:
 * reference/devices.md "Pairing".
 */
export const codeLength = 8

/** An example for an empty field. */
export const exampleCode = "7K3M-2Q9X"

const alike: Readonly<Record<string, string>> = { O: "0", I: "1", L: "1" }

/** The code's characters, at most eight; invalid characters are dropped. */
export const codeIn = (typed: string): string =>
  [...typed.toUpperCase()]
    .map((character) => alike[character] ?? character)
    .filter((character) => /[0-9A-HJKMNP-TV-Z]/u.test(character))
    .join("")

/** `XXXX-XXXX`, as the computer shows it. */
export const shownCode = (code: string): string => (code.length <= 4 ? code : `${code.slice(0, 4)}-${code.slice(4)}`)
