/**
 * Mixed documents through a hub with the built-in engine: how many it parses and embeds while it is idle otherwise, and how much of its
 * dispatch throughput it keeps under ingest. `BENCH_DOCUMENTS` sets their number, `BENCH_MINUTES` the longest time for them.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { cpus } from "node:os"
import { docxOf, pdfOf, wordParagraph } from "../support/documents.ts"
import { type Api, expectStatus } from "../support/hub.ts"
import { chanceOf } from "../support/random.ts"
import { atLeast, below, type Figure, info } from "./figures.ts"
import { cpuSeconds, ownCpuSeconds } from "./machine.ts"
import { database, load, makeWorkspace, sayLoad, Stage, startHub } from "./stage.ts"

const documents = Number(process.env["BENCH_DOCUMENTS"] ?? 1_000)
const minutesMax = Number(process.env["BENCH_MINUTES"] ?? 6)
const keptPart = 0.8
/** Of all processors, for the processes that parse and embed. */
const cpuPartMax = 0.2
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

interface State {
  readonly ready: number
  readonly failed: number
  readonly vectors: number
}

export const knowledgeIngest: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, postgresPid, seconds } = yield* Stage
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const { cookie } = workspace
  const api: Api = hub.api
  const collection = expectStatus(
    yield* api("POST", "/knowledge/collections", { cookie, body: { name: "Bench" } }),
    201
  ).body.id
  const server = (yield* postgresPid) ?? process.pid
  const hubSeconds = () => ownCpuSeconds(hub.pid) + cpuSeconds(server)
  const dispatches = Effect.gen(function*() {
    const began = hubSeconds()
    const { good, perSecond } = yield* load(sayLoad(workspace, [hub.port], { callers, seconds }))
    return { perSecond, micros: (hubSeconds() - began) / good * 1_000_000 }
  })
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
  const sql = yield* singleConnection(target, "bench-ingest", {})
  const state = Effect.map(
    sql<State>`select count(*) filter (where status = 'ready')::int as ready,
      count(*) filter (where status = 'failed')::int as failed,
      (select count(*) from knowledge_vectors)::int as vectors from knowledge_documents`,
    ([row]) => ({ ...row!, at: performance.now() })
  )
  const ingestSeconds = () => cpuSeconds(hub.pid) - ownCpuSeconds(hub.pid)

  const before = yield* dispatches
  yield* Effect.forEach(Array.from({ length: documents }, (_, index) => index), addOne, {
    concurrency: 4,
    discard: true
  })
  const begin = { ...yield* state, cpu: ingestSeconds() }
  const during = yield* dispatches
  const loaded = { ...yield* state, cpu: ingestSeconds() }
  const until = performance.now() + minutesMax * 60_000
  let end = yield* state
  while (end.ready + end.failed < documents && performance.now() < until) {
    yield* Effect.sleep(pollMillis)
    end = yield* state
  }
  expectStatus(yield* api("DELETE", `/knowledge/collections/${collection}`, { cookie }), 204)
  const after = yield* dispatches
  if (end.failed > 0) return yield* Effect.die(new Error("a document failed"))
  const minutes = (end.at - loaded.at) / 60_000
  return [
    atLeast(
      "dispatch throughput under ingest, as a part of the idle hub's",
      keptPart,
      during.perSecond / ((before.perSecond + after.perSecond) / 2)
    ),
    below(
      "CPU of the ingest beside that load, as a part of all processors",
      cpuPartMax,
      (loaded.cpu - begin.cpu) / ((loaded.at - begin.at) / 1_000) / cpus().length
    ),
    info(
      "CPU of hub and PostgreSQL for a request: before, under ingest, and after",
      [before, during, after].map(({ micros }) => `${micros.toFixed(0)} µs`).join(", ")
    ),
    ...loaded.ready === documents ? [info("note", "the ingest ended before the load: use more documents")] : [],
    info("documents", `${((end.ready - loaded.ready) / minutes).toFixed(0)} a minute, ${end.ready} of ${documents}`),
    info("chunks", `${((end.vectors - loaded.vectors) / minutes / 60).toFixed(1)} a second, ${end.vectors} in all`)
  ]
}).pipe(Effect.scoped)
