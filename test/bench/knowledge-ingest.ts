/**
 * Mixed documents through a hub with the built-in engine: how many it parses and embeds, and how much of its dispatch
 * throughput it keeps meanwhile. `BENCH_DOCUMENTS` sets their number.
 */
import { Effect } from "effect"
import { docxOf, pdfOf, wordParagraph } from "../support/documents.ts"
import { type Api, expectStatus } from "../support/hub.ts"
import { chanceOf } from "../support/random.ts"
import { atLeast, type Figure, info } from "./figures.ts"
import { database, load, makeWorkspace, sayLoad, Stage, startHub } from "./stage.ts"

const documents = Number(process.env["BENCH_DOCUMENTS"] ?? 1_000)
const keptPart = 0.8
const pollMillis = 500

const words =
  ("the invoice of a customer is paid within thirty days and a late payment costs interest while our team " +
    "answers questions about delivery boiler warranty returns shipping contract office garden travel budget").split(" ")

const { int: lower, one } = chanceOf(1)

/** One to four paragraphs of 60 to 160 words. */
const paragraphs = (): ReadonlyArray<string> =>
  Array.from(
    { length: 1 + lower(4) },
    () => `${Array.from({ length: 60 + lower(100) }, () => one(words)).join(" ")}.`
  )

interface Source {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const text = (type: string, body: string): Source => ({ type, bytes: new TextEncoder().encode(body) })

/** Lines of 12 words, as a page shows them. */
const lines = (paragraph: string): string => paragraph.replace(/((?:\S+ ){12})/g, "$1\n")

const kinds: ReadonlyArray<(parts: ReadonlyArray<string>) => Source> = [
  (parts) => text("text/plain", parts.join("\n\n")),
  (parts) => text("text/markdown", parts.map((part, index) => `# Part ${index}\n\n${part}`).join("\n\n")),
  (parts) => text("text/html", parts.map((part, index) => `<h2>Part ${index}</h2><p>${part}</p>`).join("")),
  (parts) => ({ type: "application/pdf", bytes: pdfOf(parts.map(lines)) }),
  (parts) => ({
    type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    bytes: docxOf(parts.map((part) => wordParagraph(part)).join(""))
  })
]

export const knowledgeIngest: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, seconds } = yield* Stage
  const hub = yield* startHub(yield* database)
  const workspace = yield* makeWorkspace(hub)
  const { cookie } = workspace
  const api: Api = hub.api
  const collection = expectStatus(
    yield* api("POST", "/knowledge/collections", { cookie, body: { name: "Bench" } }),
    201
  ).body.id
  const dispatches = Effect.map(load(sayLoad(workspace, [hub.port], { callers, seconds })), (each) => each.perSecond)
  const addOne = (index: number) =>
    Effect.promise(async () => {
      const { bytes, type } = kinds[index % kinds.length]!(paragraphs())
      const form = new FormData()
      form.set("file", new Blob([bytes], { type }), `document-${index}`)
      const url = `http://127.0.0.1:${hub.port}/api/v1/knowledge/collections/${collection}/documents`
      const answer = await fetch(url, { method: "POST", headers: { cookie }, body: form })
      if (answer.status !== 202) throw new Error(`a document was answered with ${answer.status}`)
      await answer.arrayBuffer()
    })
  const count = (status: string) =>
    Effect.map(
      api("GET", `/knowledge/collections/${collection}/documents?status=${status}&limit=1`, { cookie }),
      (answer) => expectStatus(answer, 200).body.data.length as number
    )
  const chunks = Effect.map(
    api("GET", `/knowledge/collections/${collection}`, { cookie }),
    (answer) => expectStatus(answer, 200).body.chunks as number
  )

  const before = yield* dispatches
  const began = performance.now()
  yield* Effect.forEach(Array.from({ length: documents }, (_, index) => index), addOne, {
    concurrency: 4,
    discard: true
  })
  const during = yield* dispatches
  const isStillBusy = (yield* count("queued")) + (yield* count("processing")) > 0
  while ((yield* count("queued")) + (yield* count("processing")) > 0) yield* Effect.sleep(pollMillis)
  const minutes = (performance.now() - began) / 60_000
  const after = yield* dispatches
  if ((yield* count("failed")) > 0) return yield* Effect.die(new Error("a document failed"))
  const made = yield* chunks
  return [
    atLeast(
      "dispatch throughput under ingest, as a part of the idle hub's",
      keptPart,
      during / ((before + after) / 2)
    ),
    ...isStillBusy ? [] : [info("note", "the ingest ended before the load: use more documents")],
    info("documents", `${(documents / minutes).toFixed(0)} a minute, of ${documents}`),
    info("chunks", `${(made / minutes / 60).toFixed(1)} a second, of ${made}`)
  ]
}).pipe(Effect.scoped)
