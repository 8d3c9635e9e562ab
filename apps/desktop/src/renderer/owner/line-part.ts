/**
 * Formats one line of a question: the main process separates label and value, and indents text from others. Used for
 * layout only.
 */

export interface LinePart {
  /** `own`: a sentence of the app; `value`: a word or line of the request. */
  readonly kind: "own" | "labelled" | "value"
  readonly label?: string
  readonly text: string
}

export const linePart = (line: string): LinePart => {
  if (line.startsWith("  ")) return { kind: "value", text: line.slice(2) }
  const parts = /^([A-Za-z][A-Za-z _]{0,39}):(?: ([^]*))?$/u.exec(line)
  return parts === null
    ? { kind: "own", text: line }
    : { kind: "labelled", label: parts[1] ?? "", text: parts[2] ?? "" }
}
