/** A code that a person types or compares: eight characters of Crockford's base32. Pure. */
export const userCodeLength = 8
export const userCodeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** As it is shown: `XXXX-XXXX`. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** Normalizes a typed code: lower case, a missing hyphen, O for 0, I and L for 1. */
export const userCodeOf = (typed: string): string =>
  typed.toUpperCase().replace(/[-\s]/gu, "").replace(/O/gu, "0").replace(/[IL]/gu, "1")
