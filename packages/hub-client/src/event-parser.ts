/** Parses server-sent events from text in pieces of any size (WHATWG HTML, 9.2.6). */

export interface Message {
  /** The position to resume from; empty if the event has none. */
  readonly id: string
  readonly event: string
  readonly data: string
}

/** A hub sends no longer line. */
export const lineLengthMax = 1_048_576

export interface EventParser {
  /** The messages that this piece completes. Throws a `RangeError` for an unterminated line beyond the limit. */
  readonly push: (piece: string) => ReadonlyArray<Message>
}

export const makeEventParser = (): EventParser => {
  let rest = ""
  let isFirst = true
  /** A line break may be split between its two characters. */
  let endedWithReturn = false
  let event = ""
  let id = ""
  let data: Array<string> = []

  const take = (line: string): Message | undefined => {
    if (line === "") {
      const message = data.length === 0
        ? undefined
        : { id, event: event === "" ? "message" : event, data: data.join("\n") }
      event = ""
      data = []
      return message
    }
    const colon = line.indexOf(":")
    // A line that starts with a colon is a comment; like any piece it shows that the stream is alive.
    if (colon === 0) return undefined
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (name === "event") event = value
    else if (name === "data") data.push(value)
    else if (name === "id" && !value.includes("\0")) id = value
    return undefined
  }

  return {
    push: (piece) => {
      if (piece === "") return []
      let text = rest + (isFirst && piece.startsWith("\uFEFF") ? piece.slice(1) : piece)
      isFirst = false
      if (endedWithReturn && text.startsWith("\n")) text = text.slice(1)
      endedWithReturn = text.endsWith("\r")
      const lines = text.split(/\r\n|\r|\n/u)
      rest = lines.pop() ?? ""
      if (rest.length > lineLengthMax) throw new RangeError("A line of the event stream does not end.")
      return lines.flatMap((line) => take(line) ?? [])
    }
  }
}
