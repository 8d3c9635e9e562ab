import { lineLengthMax, makeEventParser } from "@countersign/ui/live/event-parser"
import { describe, expect, test } from "vitest"

const all = (pieces: ReadonlyArray<string>) => {
  const parser = makeEventParser()
  return pieces.flatMap((piece) => parser.push(piece))
}
const text =
  ": open\n\nid: c1\nevent: approval.created\ndata: {\"id\":\"evt_1\"}\n\n: ping\n\nid: c2\r\nevent: reset\r\ndata: {\r\ndata: }\r\n\r\ndata\n\n"
const messages = [
  { id: "c1", event: "approval.created", data: "{\"id\":\"evt_1\"}" },
  { id: "c2", event: "reset", data: "{\n}" },
  { id: "c2", event: "message", data: "" }
]

describe("a stream of events", () => {
  test("is read whole", () => expect(all([text])).toEqual(messages))

  test("is read the same wherever it is cut in two", () => {
    for (let at = 0; at <= text.length; at++) {
      expect(all([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(messages)
    }
  })

  test("is read the same letter by letter", () => expect(all([...text])).toEqual(messages))

  test("tells nothing before a message has ended", () => {
    const parser = makeEventParser()
    expect(parser.push("id: c1\ndata: x\n")).toEqual([])
    expect(parser.push("\n")).toEqual([{ id: "c1", event: "message", data: "x" }])
  })

  test("takes returns alone for line ends, and a mark of byte order for nothing", () => {
    expect(all(["\uFEFFdata: a\r\rdata: b\r", "\r"])).toEqual([
      { id: "", event: "message", data: "a" },
      { id: "", event: "message", data: "b" }
    ])
  })

  test("that never ends a line is refused before it fills the memory", () => {
    const parser = makeEventParser()
    parser.push("data: ")
    expect(() => parser.push("x".repeat(lineLengthMax + 1))).toThrow(RangeError)
  })
})
