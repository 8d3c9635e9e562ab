import { sourcesOf } from "@countersign/ui/chat/call-sources"
import { applyEvent, type LiveTurn, noTurn } from "@countersign/ui/chat/live-turn"
import { describe, expect, it } from "vitest"

const passage = (id: string, chunk: number, headings: ReadonlyArray<string> = []) => ({
  text: "text",
  score: 0.5,
  headings,
  position: { chunk, start: 0, end: 4 },
  document: { id, title: `Title of ${id}` }
})
const query = {
  call_id: "call_1",
  service: "knowledge",
  operation: "query",
  payload: { collection_id: "col_1", query: "a question" },
  state: "executed",
  cost_cents: 0
} as const

describe("the sources of a call", () => {
  it("are the documents of a query, each once with its best passage, without a heading that repeats the title", () => {
    const data = [passage("doc_1", 3, ["Title of doc_1", "Returns"]), passage("doc_2", 0), passage("doc_1", 7)]
    expect(sourcesOf({ ...query, result: { data } })).toEqual([
      {
        collection: "col_1",
        document: "doc_1",
        title: "Title of doc_1",
        headings: ["Returns"],
        page: undefined,
        at: 3
      },
      { collection: "col_1", document: "doc_2", title: "Title of doc_2", headings: [], page: undefined, at: 0 }
    ])
  })

  it("are absent for other calls, failed ones, and results of another form", () => {
    const data = [passage("doc_1", 0)]
    for (
      const call of [
        { ...query, service: "echo", result: { data } },
        { ...query, state: "blocked" as const, result: { data } },
        { ...query, payload: undefined, result: { data } },
        { ...query, result: undefined },
        { ...query, result: { message: "The result is too long.", head: "{", tail: "}" } },
        { ...query, result: { data: [null, 1, "text", {}, { ...passage("doc_1", 0), document: { id: 1 } }] } }
      ]
    ) expect(sourcesOf(call)).toEqual([])
  })
})

describe("the status of an answer", () => {
  it("ends with the first text", () => {
    const at = { turn_id: "trn_1", seq: 1 } as const
    const reading = applyEvent(
      noTurn,
      {
        event: "status",
        data: { ...at, phase: "planning", text: "Reading the message" }
      } as Parameters<typeof applyEvent>[1]
    )
    expect(reading.status).toBe("Reading the message")
    const writing: LiveTurn = applyEvent(
      reading,
      {
        event: "message_delta",
        data: { ...at, part: 0, offset: 0, delta: "Hello" }
      } as Parameters<typeof applyEvent>[1]
    )
    expect(writing).not.toHaveProperty("status")
    expect(writing.items).toEqual([{ kind: "text", part: 0, text: "Hello" }])
  })
})
