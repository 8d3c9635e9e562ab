/**
 * A pasted line as the words that a program gets. Blanks part words, quotes and backslashes hold them together as in a shell;
 * nothing else of a shell is understood, and what it would do is told.
 */

/** What a shell would do and no word can say. */
export type ShellAct = "pipe" | "redirect" | "chain" | "background" | "variable" | "substitution" | "pattern"

export interface Split {
  readonly words: ReadonlyArray<string>
  readonly acts: ReadonlyArray<ShellAct>
  /** A quote that never ends. */
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
      // A line that goes on.
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
