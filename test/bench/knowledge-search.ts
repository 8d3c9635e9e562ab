/**
 * Queries of one collection of 100,000 and of 1,000,000 chunks, with vectors and words that the bench makes: time,
 * recall against the exact search, and memory of the hub. `BENCH_CHUNKS` sets the sizes, such as `100000,1000000`.
 */
import { newId } from "@countersign/domain/ids"
import { codeOf, encodeHalves } from "@countersign/hub/knowledge/vectors"
import { singleConnection, textArray } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { expectStatus } from "../support/hub.ts"
import { type Chance, chanceOf } from "../support/random.ts"
import { httpUpstream } from "../support/upstream.ts"
import { atLeast, below, type Figure, info } from "./figures.ts"
import { residentBytes } from "./machine.ts"
import { interleaved, quantile, sorted } from "./rounds.ts"
import { type BenchDatabase, database, makeWorkspace, Stage, startHub } from "./stage.ts"

const sizes = (process.env["BENCH_CHUNKS"] ?? "100000,1000000").split(",").map(Number)
const p50Max = (chunks: number) => chunks > 100_000 ? 60 : 15
const recallMin = 0.95
const memoryMax = 400
const dimensions = 384
const model = "bench"
const topics = 2_000
const queries = 100
const found = 10
const batchRows = 2_000
const chunksPerDocument = 1_000
/** Words by frequency: the n-th is in 1/n of the places. The most frequent ones stand for words that every text has. */
const vocabulary = 30_000
const wordsOfChunk = 60
const wordsOfQuery = 6
const frequentWords = 20

type Vector = Float32Array<ArrayBuffer>

/** From about -1 to 1, nearly normal. */
const noise = ({ next }: Chance): number => next() + next() + next() - 1.5

const normalized = (vector: Vector): Vector => {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Topics are of different sizes, and their chunks lie around them, as the texts of a library do. */
const vectorsOf = (seed: number) => {
  const chance = chanceOf(seed)
  const centers = Array.from(
    { length: topics },
    () => normalized(Float32Array.from({ length: dimensions }, () => noise(chance)))
  )
  const near = (spread: number) => {
    const center = centers[Math.floor(topics * chance.next() ** 2)]!
    return normalized(center.map((value) => value + spread * noise(chance) / Math.sqrt(dimensions)))
  }
  return { chunk: () => near(1.5), query: () => near(1.5) }
}

const wordSql = (from: number) => `'w' || floor(${from} * exp(random() * ln(${vocabulary / from})))::int`

const question = (chance: Chance): string =>
  Array.from(
    { length: wordsOfQuery },
    () => `w${Math.floor(frequentWords * Math.exp(chance.next() * Math.log(vocabulary / frequentWords)))}`
  ).join(" ")

interface Query {
  readonly text: string
  readonly vector: Vector
  /** The numbers of the nearest chunks, with their similarities; the worst first. */
  readonly exact: Array<{ readonly number: number; readonly similarity: number }>
}

const dot = (left: Vector, right: Vector): number => {
  let sum = 0
  for (let index = 0; index < dimensions; index++) sum += left[index]! * right[index]!
  return sum
}

const remember = ({ exact, vector }: Query, number: number, chunk: Vector): void => {
  const similarity = dot(vector, chunk)
  if (exact.length === found && similarity <= exact[0]!.similarity) return
  if (exact.length === found) exact.shift()
  const at = exact.findIndex((each) => each.similarity > similarity)
  exact.splice(at === -1 ? exact.length : at, 0, { number, similarity })
}

/** Inserts the chunks with their vectors, and finds the nearest ones of each query on the way. */
const grow = Effect.fnUntraced(
  function*(target: BenchDatabase, org: string, collection: string, chunks: number, asked: ReadonlyArray<Query>) {
    const sql = yield* singleConnection(target, "bench-rows", {
      synchronous_commit: "off",
      maintenance_work_mem: "512MB"
    })
    const document = Array.from({ length: Math.ceil(chunks / chunksPerDocument) }, () => newId("doc"))
    yield* sql`insert into knowledge_documents (id, org_id, collection_id, title, titled, content_type, size_bytes, source,
        status, chunks, embedded, turn_at, created_at, updated_at)
      select id, ${org}, ${collection}, 'Document', true, 'text/plain', 1, 'text', 'ready', ${chunksPerDocument},
        ${chunksPerDocument}, now(), now(), now() from unnest(${textArray(document)}) id`
    const { chunk } = vectorsOf(chunks)
    const [first] = yield* sql<
      { next: number }
    >`select nextval(pg_get_serial_sequence('knowledge_chunks', 'chunk_id'))::float8 as next`
    yield* sql.unsafe("drop index knowledge_chunks_words")
    for (let from = 0; from < chunks; from += batchRows) {
      const vectors = Array.from({ length: Math.min(batchRows, chunks - from) }, chunk)
      for (const [index, vector] of vectors.entries()) for (const query of asked) remember(query, from + index, vector)
      yield* sql`with n as (select n, ${first!.next + 1 + from}::float8::bigint + n as id, ${from}::int + n as number,
            (${textArray(document)})[(${from}::int + n) / ${chunksPerDocument}::int + 1] as document,
            (select string_agg(${
        sql.literal(wordSql(1))
      }, ' ') from generate_series(1, ${wordsOfChunk}) where n >= 0) as body
          from generate_series(0, ${vectors.length - 1}) n),
        c as (insert into knowledge_chunks (chunk_id, org_id, collection_id, document_id, number, start_at, end_at, headings,
            language, body, tsv) overriding system value
          select id, ${org}, ${collection}, document, number % ${chunksPerDocument}::int, 0, length(body), '[]', 'english',
            body, to_tsvector('cs_english', body) from n)
        insert into knowledge_vectors (chunk_id, generation, org_id, collection_id, code, emb)
          select n.id, 1, ${org}, ${collection}, v.code::bit varying, decode(v.emb, 'hex')
          from n join unnest(${textArray(vectors.map(codeOf))}, ${
        textArray(vectors.map((vector) => Buffer.from(encodeHalves(vector)).toString("hex")))
      }) with ordinality v (code, emb, at) on v.at = n.n + 1`
    }
    yield* sql.unsafe("create index knowledge_chunks_words on knowledge_chunks using gin (org_id, collection_id, tsv)")
    yield* sql`update knowledge_collections set chunks = ${chunks}, documents = ${document.length}, version = version + 1
      where id = ${collection}`
    for (const table of ["knowledge_documents", "knowledge_chunks", "knowledge_vectors"]) {
      yield* sql.unsafe(`vacuum (analyze) ${table}`)
    }
    yield* sql.unsafe("checkpoint")
    return document
  },
  Effect.scoped,
  Effect.orDie
)

const measured = Effect.fnUntraced(function*(chunks: number) {
  const { rounds } = yield* Stage
  const chance = chanceOf(1)
  const { query } = vectorsOf(chunks)
  const asked = Array.from({ length: queries }, (): Query => ({ text: question(chance), vector: query(), exact: [] }))
  const byText = new Map(asked.map(({ text, vector }) => [text, vector]))
  const engine = yield* httpUpstream(({ body }, response) => {
    const { input } = JSON.parse(body) as { readonly input: ReadonlyArray<string> }
    const data = input.map((text, index) => ({ index, embedding: Array.from(byText.get(text) ?? [1]) }))
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data, usage: { total_tokens: 1 } }))
  })
  const target = yield* database
  const hub = yield* startHub(target, {
    env: {
      HUB_EMBEDDINGS_URL: engine.origin,
      HUB_EMBEDDINGS_MODEL: model,
      HUB_EMBEDDINGS_DIMENSIONS: String(dimensions)
    }
  })
  const { cookie, org } = yield* makeWorkspace(hub)
  const { api } = hub
  const collection = expectStatus(
    yield* api("POST", "/knowledge/collections", { cookie, body: { name: "Bench" } }),
    201
  ).body.id as string
  const began = performance.now()
  const documents = yield* grow(target, org, collection, chunks, asked)
  const seconds = (performance.now() - began) / 1_000

  const idle = residentBytes(hub.pid)
  const ask = (text: string, hybrid: boolean) =>
    Effect.map(
      api("POST", `/knowledge/collections/${collection}/query`, {
        cookie,
        body: { query: text, top_k: found, hybrid }
      }),
      (answer) =>
        expectStatus(answer, 200).body.data as ReadonlyArray<{
          readonly position: { readonly chunk: number }
          readonly document: { readonly id: string }
        }>
    )
  /** Milliseconds of each query. */
  const all = (hybrid: boolean) =>
    Effect.forEach(asked, ({ text }) =>
      Effect.suspend(() => {
        const began = performance.now()
        return Effect.map(ask(text, hybrid), () => performance.now() - began)
      }))
  // The first queries load the codes.
  for (const hybrid of [true, false]) for (let times = 0; times < 2; times++) yield* all(hybrid)
  const times = yield* interleaved(rounds, { hybrid: all(true), vectors: all(false) })
  const of = (name: keyof typeof times) => sorted(times[name].flat())
  const numberOf = new Map<string, number>(documents.map((id, index) => [id, index * chunksPerDocument]))
  let hits = 0
  for (const { exact, text } of asked) {
    const numbers = new Set(exact.map(({ number }) => number))
    for (const { document, position } of yield* ask(text, false)) {
      if (numbers.has(numberOf.get(document.id)! + position.chunk)) hits++
    }
  }
  const name = `${chunks.toLocaleString("en")} chunks`
  return [
    below(`${name}: p50 of a query, hybrid`, p50Max(chunks), quantile(of("hybrid"), 0.5), 1, " ms"),
    below(`${name}: p50 of a query, vectors only`, p50Max(chunks), quantile(of("vectors"), 0.5), 1, " ms"),
    info(
      `${name}: p95, hybrid and vectors only`,
      `${quantile(of("hybrid"), 0.95).toFixed(1)} ms, ${quantile(of("vectors"), 0.95).toFixed(1)} ms`
    ),
    atLeast(`${name}: recall@${found} against exact search`, recallMin, hits / queries / found, 3),
    below(`${name}: memory of the hub`, memoryMax, residentBytes(hub.pid) / (1 << 20), 0, " MB"),
    info(`${name}: memory before the first query`, `${(idle / (1 << 20)).toFixed(0)} MB`),
    info(`${name}: made in`, `${seconds.toFixed(0)} s`)
  ]
}, Effect.scoped)

export const knowledgeSearch: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.map(
  Effect.forEach(sizes, measured),
  (figures) => figures.flat()
)
