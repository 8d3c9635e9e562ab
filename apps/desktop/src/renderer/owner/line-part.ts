/** A line of a question as it is set: main parts label and value so, and indents what others wrote. Only the setting hangs on it. */

export interface LinePart {
  /** `own`: a sentence of the app's; `value`: a word or a line of what is asked. */
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
