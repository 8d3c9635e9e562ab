import { lineLengthMax, makeEventParser } from "@countersign/hub-client/event-parser"
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

describe("event parser", () => {
  test("reads a whole stream", () => expect(all([text])).toEqual(messages))

  test("reads the same events for every split into two", () => {
    for (let at = 0; at <= text.length; at++) {
      expect(all([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(messages)
    }
  })

  test("reads the same events character by character", () => expect(all([...text])).toEqual(messages))

  test("emits nothing before the end of a message", () => {
    const parser = makeEventParser()
    expect(parser.push("id: c1\ndata: x\n")).toEqual([])
    expect(parser.push("\n")).toEqual([{ id: "c1", event: "message", data: "x" }])
  })

  test("accepts lone carriage returns as line ends, and ignores a byte order mark", () => {
    expect(all(["\uFEFFdata: a\r\rdata: b\r", "\r"])).toEqual([
      { id: "", event: "message", data: "a" },
      { id: "", event: "message", data: "b" }
    ])
  })

  test("rejects an unterminated line before it fills the memory", () => {
    const parser = makeEventParser()
    parser.push("data: ")
    expect(() => parser.push("x".repeat(lineLengthMax + 1))).toThrow(RangeError)
  })
})
