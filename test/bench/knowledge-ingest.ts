/**
 * Mixed documents through a hub with the built-in engine: how much of its dispatch throughput it keeps under ingest, in rounds of a
 * measurement without documents and one beside them, and how many it parses and embeds while it is idle otherwise. `BENCH_DOCUMENTS`
 * sets the number of documents of a round, `BENCH_MINUTES` the longest time of the bench.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { cpus } from "node:os"
import { docxOf, pdfOf, wordParagraph } from "../support/documents.ts"
import { type Api, expectStatus } from "../support/hub.ts"
import { chanceOf } from "../support/random.ts"
import { atLeast, below, type Figure, info } from "./figures.ts"
import { cpuSeconds, cpuSecondsByProcess, ownCpuSeconds } from "./machine.ts"
import { median, ratio } from "./rounds.ts"
import { database, load, makeWorkspace, sayLoad, Stage, startHub } from "./stage.ts"

const documents = Number(process.env["BENCH_DOCUMENTS"] ?? 1_000)
const minutesMax = Number(process.env["BENCH_MINUTES"] ?? 6)
const keptPart = 0.8
/** Of all processors, for the processes that parse and embed. */
const cpuPartMax = 0.2
const pollMillis = 500
/** Of the longest time: a slow machine has fewer rounds. */
const roundsPartMax = 0.6

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

interface Measured {
  readonly perSecond: number
  /** CPU of hub and PostgreSQL for a request. */
  readonly micros: number
  /** CPU of the processes that parse and embed, as a part of all processors. */
  readonly ingestPart: number
}

interface State {
  readonly documents: number
  readonly ready: number
  readonly failed: number
  readonly vectors: number
}

export const knowledgeIngest: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const began = performance.now()
  const { callers, postgresPid, rounds, seconds } = yield* Stage
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const { cookie } = workspace
  const api: Api = hub.api
  const server = (yield* postgresPid) ?? process.pid
  const hubSeconds = () => ownCpuSeconds(hub.pid) + cpuSeconds(server)
  const workers = () => new Map([...cpuSecondsByProcess(hub.pid)].filter(([pid]) => pid !== hub.pid))
  const dispatches = Effect.gen(function*() {
    const [began, workersBefore, hubBegan] = [performance.now(), workers(), hubSeconds()]
    const { good, perSecond } = yield* load(sayLoad(workspace, [hub.port], { callers, seconds }))
    // A process that ended meanwhile is not counted.
    const ingestSeconds = [...workers()].reduce((sum, [pid, all]) => sum + all - (workersBefore.get(pid) ?? 0), 0)
    return {
      perSecond,
      micros: (hubSeconds() - hubBegan) / good * 1_000_000,
      ingestPart: ingestSeconds / ((performance.now() - began) / 1_000) / cpus().length
    }
  })
  const addOne = (collection: string) => (index: number) =>
    Effect.promise(async () => {
      const { bytes, type } = kinds[index % kinds.length]!(paragraphs())
      const form = new FormData()
      form.set("file", new Blob([bytes], { type }), `document-${index}`)
      const url = `http://127.0.0.1:${hub.port}/api/v1/knowledge/collections/${collection}/documents`
      const answer = await fetch(url, { method: "POST", headers: { cookie }, body: form })
      if (answer.status !== 202) throw new Error(`a document was answered with ${answer.status}`)
      await answer.arrayBuffer()
    })
  const addAll = Effect.gen(function*() {
    const made = yield* api("POST", "/knowledge/collections", { cookie, body: { name: "Bench" } })
    const collection: string = expectStatus(made, 201).body.id
    yield* Effect.forEach(Array.from({ length: documents }, (_, index) => index), addOne(collection), {
      concurrency: 4,
      discard: true
    })
    return collection
  })
  const sql = yield* singleConnection(target, "bench-ingest", {})
  const state = Effect.map(
    sql<State>`select count(*)::int as documents, count(*) filter (where status = 'ready')::int as ready,
      count(*) filter (where status = 'failed')::int as failed,
      (select count(*) from knowledge_vectors)::int as vectors from knowledge_documents`,
    ([row]) => ({ ...row!, at: performance.now() })
  )
  const until = (isEnough: (state: State) => boolean, millis: number) =>
    Effect.gen(function*() {
      for (;;) {
        const now = yield* state
        if (isEnough(now) || performance.now() >= millis) return now
        yield* Effect.sleep(pollMillis)
      }
    })

  const [alone, beside]: [Array<Measured>, Array<Measured>] = [[], []]
  // A hub that has just started is slower.
  yield* dispatches
  const endOfRounds = began + minutesMax * 60_000 * roundsPartMax
  let collection: string | undefined
  do {
    if (collection !== undefined) {
      expectStatus(yield* api("DELETE", `/knowledge/collections/${collection}`, { cookie }), 204)
      yield* until(({ documents }) => documents === 0, Infinity)
    }
    alone.push(yield* dispatches)
    collection = yield* addAll
    beside.push(yield* dispatches)
  } while (beside.length < rounds && performance.now() < endOfRounds)

  const loaded = yield* state
  const end = yield* until(({ failed, ready }) => ready + failed === documents, began + minutesMax * 60_000)
  if (end.failed > 0) return yield* Effect.die(new Error("a document failed"))
  const minutes = (end.at - loaded.at) / 60_000
  const perSecond = (measured: ReadonlyArray<Measured>) => measured.map((each) => each.perSecond)
  const micros = (measured: ReadonlyArray<Measured>) => `${median(measured.map((each) => each.micros)).toFixed(0)} µs`
  return [
    atLeast(
      `dispatch throughput beside ${documents} documents, as a part of that without, in ${beside.length} rounds`,
      keptPart,
      ratio(perSecond(beside), perSecond(alone))
    ),
    below(
      "CPU of the ingest beside that load, as a part of all processors",
      cpuPartMax,
      median(beside.map(({ ingestPart }) => ingestPart))
    ),
    info(
      "requests a second of each round: without documents, and beside them",
      alone.map((each, round) => `${each.perSecond.toFixed(0)} and ${beside[round]!.perSecond.toFixed(0)}`).join("; ")
    ),
    info("CPU of hub and PostgreSQL for a request: the same", `${micros(alone)} and ${micros(beside)}`),
    ...loaded.ready === documents ? [info("note", "the ingest ended before the load: use more documents")] : [],
    info(
      "documents without dispatch",
      `${((end.ready - loaded.ready) / minutes).toFixed(0)} a minute, ${end.ready} of ${documents} are ready`
    ),
    info(
      "chunks without dispatch",
      `${((end.vectors - loaded.vectors) / minutes / 60).toFixed(1)} a second, ${end.vectors} in all`
    )
  ]
}).pipe(Effect.scoped)
