/**
 * Retrieval quality on the project's own documents: for each question of `knowledge-questions.json`, in a user's words,
 * whether a chunk of the right section is among the first three results. Uses the built-in embedder, and PostgreSQL's
 * full-text search by the same rules as queries. The documentation and the ranking were improved by the missed questions;
 * those with `unseen` were written afterwards and changed neither. Replace them once they do.
 */
import { makeBuiltIn } from "@countersign/hub/knowledge/embedder/built-in"
import { textsMax } from "@countersign/hub/knowledge/embedder/embedder"
import { type Chunk, chunksOf, searchText } from "@countersign/hub/knowledge/parsing/chunking"
import { parseMarkdown } from "@countersign/hub/knowledge/parsing/markdown"
import { embedPassages } from "@countersign/hub/knowledge/passages"
import { bySimilarity, type Candidate, coverMin, hybrid, sectionsInTurn } from "@countersign/hub/knowledge/ranking"
import { cosine, decodeHalves } from "@countersign/hub/knowledge/vectors"
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { atLeast, type Figure, info } from "./figures.ts"
import { database, Stage } from "./stage.ts"

const docs = join(import.meta.dirname, "../../resources/docs")
const hitMin = 0.85
const resultsRead = 3

interface Question {
  readonly question: string
  readonly answers: ReadonlyArray<{ readonly page: string; readonly heading: string }>
  readonly unseen?: true
}

interface Passage extends Chunk {
  readonly file: string
  readonly title: string
  readonly searched: string
}

const passages = (): ReadonlyArray<Passage> => {
  const pages = [
    ...readdirSync(join(docs, "reference")).filter((name) => name.endsWith(".md")).map((name) => `reference/${name}`),
    "architecture.md",
    "declaring-services.md"
  ]
  return pages.flatMap((page) => {
    const document = parseMarkdown(readFileSync(join(docs, page), "utf8"))
    return chunksOf(document).map((chunk) => ({
      ...chunk,
      file: page,
      title: document.title ?? "",
      searched: searchText(document.title ?? "", chunk)
    }))
  })
}

const isAnswer = ({ answers }: Question, { headings, file }: Passage): boolean =>
  answers.some(({ heading, page }) => page === file && heading === (headings[1] ?? headings[0]))

/** As the hub stores them. */
const embedAll = Effect.fnUntraced(function*(searched: ReadonlyArray<Passage>, questions: ReadonlyArray<Question>) {
  const engine = yield* makeBuiltIn()
  const { vectors } = yield* embedPassages(engine)(searched.map(({ headings, text, title }, index) => ({
    chunk_id: index,
    title,
    headings: JSON.stringify(headings),
    body: text
  })))
  const asked: Array<Float32Array> = []
  for (let from = 0; from < questions.length; from += textsMax) {
    const texts = questions.slice(from, from + textsMax).map(({ question }) => question)
    asked.push(...(yield* engine.embed(texts, "document")).vectors)
  }
  return { vectors: vectors.map(({ emb }) => decodeHalves(emb)), asked }
})

const sectionOf = ({ file, headings }: Passage): string => `${file} ${headings.join(" > ")}`

interface Keywords {
  readonly id: number
  readonly rank: number
  readonly cover: number
}

export const knowledgeQuality: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const questions = JSON.parse(
    readFileSync(join(import.meta.dirname, "knowledge-questions.json"), "utf8")
  ) as ReadonlyArray<Question>
  const searched = passages()
  const began = performance.now()
  const { asked, vectors } = yield* embedAll(searched, questions)
  const seconds = (performance.now() - began) / 1_000

  const sql = yield* singleConnection(yield* database, "bench-quality", {})
  yield* sql`create table passages (id int primary key, tsv tsvector not null)`
  for (const [id, { language, searched: text }] of searched.entries()) {
    yield* sql`insert into passages values (${id}, to_tsvector(${language}::text::regconfig, ${text}))`
  }
  const keywordsOf = (question: string) =>
    sql<Keywords>`with q as (
        select array_agg(lexeme) as lexemes, string_agg(quote_literal(lexeme), ' | ')::tsquery as any_q
        from unnest(to_tsvector('english', ${question})))
      select p.id, ts_rank_cd(p.tsv, q.any_q, 1)::float8 as rank,
        ((select count(*) from unnest(q.lexemes) x where p.tsv @@ quote_literal(x)::tsquery)::float8
          / cardinality(q.lexemes)) as cover
      from passages p, q where p.tsv @@ q.any_q`

  const hits = { hybrid: 0, "vectors only": 0, "keywords only": 0, "keywords only, without the gate": 0 }
  const missed: Array<string> = []
  const halves: [number, number] = [0, 0]
  const seen = questions.filter(({ unseen }) => unseen === undefined).length
  let unseenHits = 0
  for (const [index, question] of questions.entries()) {
    const vector = asked[index]!
    const keywords = new Map((yield* keywordsOf(question.question)).map((row) => [row.id, row]))
    const candidates = searched.map((_, id): Candidate<number> => ({
      id,
      similarity: cosine(vector, vectors[id]!),
      cover: keywords.get(id)?.cover ?? 0
    }))
    const isHit = (ids: ReadonlyArray<number>) => ids.some((id) => isAnswer(question, searched[id]!))
    const byWords = (gate: number) =>
      [...keywords.values()].filter(({ cover }) => cover >= gate)
        .toSorted((left, right) => right.cover - left.cover || right.rank - left.rank)
        .slice(0, resultsRead).map(({ id }) => id)
    const ranked = sectionsInTurn(hybrid(candidates, 2 * resultsRead), ({ id }) => sectionOf(searched[id]!))
    const isHybridHit = isHit(ranked.slice(0, resultsRead).map(({ id }) => id))
    if (question.unseen === true) {
      if (isHybridHit) unseenHits++
      continue
    }
    if (isHybridHit) {
      hits.hybrid++
      halves[index % 2 === 0 ? 0 : 1]++
    } else missed.push(question.question)
    if (isHit(bySimilarity(candidates, resultsRead).map(({ id }) => id))) hits["vectors only"]++
    if (isHit(byWords(coverMin))) hits["keywords only"]++
    if (isHit(byWords(0))) hits["keywords only, without the gate"]++
  }
  const part = (name: keyof typeof hits) => hits[name] / seen
  return [
    atLeast(`hit@3 of ${seen} questions, hybrid`, hitMin, part("hybrid")),
    info(
      `hit@3 of ${questions.length - seen} questions that changed nothing, hybrid`,
      (unseenHits / (questions.length - seen)).toFixed(2)
    ),
    ...(["vectors only", "keywords only", "keywords only, without the gate"] as const).map((name) =>
      info(`hit@3, ${name}`, part(name).toFixed(2))
    ),
    info(
      "hit@3, hybrid, of the questions at even and at odd places",
      halves.map((count) => (count / seen * 2).toFixed(2)).join(", ")
    ),
    info(`${searched.length} chunks and ${questions.length} questions embedded`, `${seconds.toFixed(0)} s`),
    ...missed.map((question) => info("without a hit", question))
  ]
}).pipe(Effect.scoped)
