/**
 * Splits a pasted line into the words that a program gets. Spaces separate words; quotes and backslashes group them as
 * in a shell. Other shell syntax is not interpreted but reported.
 */

/** Shell syntax that words cannot express. */
export type ShellAct = "pipe" | "redirect" | "chain" | "background" | "variable" | "substitution" | "pattern"

export interface Split {
  readonly words: ReadonlyArray<string>
  readonly acts: ReadonlyArray<ShellAct>
  /** A quote is not closed. */
  readonly openQuote: boolean
}

const actAt = (text: string, at: number): ShellAct | undefined => {
  const two = text.slice(at, at + 2)
  if (two === "&&" || two === "||") return "chain"
  switch (text.charAt(at)) {
    case "|":
      return "pipe"
    case "<":
    case ">":
      return "redirect"
    case ";":
      return "chain"
    case "&":
      return "background"
    case "`":
      return "substitution"
    case "$":
      return two === "$(" ? "substitution" : /\$[A-Za-z_{]/u.test(two) ? "variable" : undefined
    case "*":
    case "?":
      return "pattern"
    default:
      return undefined
  }
}

export const splitWords = (text: string): Split => {
  const words: Array<string> = []
  const acts = new Set<ShellAct>()
  let word: string | undefined
  let quote: "'" | "\"" | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote !== undefined) {
      if (character === quote) quote = undefined
      else if (quote === "\"" && character === "\\" && /["\\$`]/u.test(text.charAt(at + 1))) {
        word = (word ?? "") + text.charAt(++at)
      } else {
        const act = quote === "\"" ? actAt(text, at) : undefined
        if (act === "variable" || act === "substitution") acts.add(act)
        word = (word ?? "") + character
      }
    } else if (character === "'" || character === "\"") {
      quote = character
      word ??= ""
    } else if (character === "\\" && at + 1 < text.length) {
      const next = text.charAt(++at)
      // A line continuation.
      if (next !== "\n") word = (word ?? "") + next
    } else if (/\s/u.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      const act = actAt(text, at)
      if (act !== undefined) acts.add(act)
      word = (word ?? "") + character
    }
  }
  if (word !== undefined) words.push(word)
  return { words, acts: [...acts], openQuote: quote !== undefined }
}
