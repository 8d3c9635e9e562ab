/**
 * The built-in engine: MiniLM, in its own process, one text at a time. Waiting queries pass waiting documents, which also wait while
 * the hub is busy. Spec: reference/knowledge.md "Embedding".
 */
import { Effect, type Scope } from "effect"
import { workerProcess } from "../processes/worker-process.ts"
import { Embedder, EmbedderFailure, type Lane } from "./embedder.ts"
import type { EngineAnswer } from "./engine-process.ts"
import { makeBusyMeter, restMillisOf } from "./yielding.ts"

export const builtInModel = "local/all-minilm-l6-v2"
export const builtInDimensions = 384

/** The model's limit is 256 tokens; the rest of a longer text is not even sent. */
const textLengthMax = 4_096
/**
 * The mean of a passage's vector and of its parts' finds more: a long text has one blurred vector, and its end after 256
 * tokens none. Measured by `npm run bench -- knowledge-quality`.
 */
const partWords = 50
/** The model needs about 300 MiB, mostly outside of the heap. */
const heapMebibytes = 256
const idleMillis = 120_000
/** At the lowest priority a text may wait long for a processor. */
const textMillisMax = 120_000
/** A text whose process died is tried a second time, by a new process. */
const triesMax = 2

export interface BuiltInOptions {
  /** Waiting texts of a lane. */
  readonly waitingMax: Readonly<Record<Lane, number>>
  readonly idleMillis: number
  /** The rest after a text of a document, beside an event loop that was busy for this part of the time. */
  readonly restMillisOf: (busy: number, workedMillis: number) => number
}

const optionsDefault: BuiltInOptions = { waitingMax: { query: 256, document: 1_024 }, idleMillis, restMillisOf }

interface Task {
  readonly text: string
  readonly lane: Lane
  readonly done: (result: Effect.Effect<Float32Array, EmbedderFailure>) => void
}

export const makeBuiltIn = (
  options: Partial<BuiltInOptions> = {}
): Effect.Effect<Embedder["Service"] & { readonly pid: () => number | undefined }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { idleMillis, restMillisOf, waitingMax } = { ...optionsDefault, ...options }
    const process = yield* workerProcess<string, EngineAnswer>({
      entry: new URL("./engine-process.ts", import.meta.url),
      heapMebibytes,
      idleMillis
    })
    const waiting: Record<Lane, Array<Task>> = { query: [], document: [] }
    const busy = makeBusyMeter()
    let isRunning = false
    let restUntil = 0
    /** Ends a rest. */
    let wake = () => {}

    const vectorOf = Effect.fnUntraced(function*(text: string) {
      for (let tries = 1;; tries++) {
        const end = yield* process.run(text, textMillisMax)
        if (end.kind === "answered") {
          return end.answer.vector ??
            (yield* new EmbedderFailure({ reason: "invalid_answer", detail: "The text cannot be embedded." }))
        }
        if (tries === triesMax) {
          return yield* new EmbedderFailure({
            reason: "unavailable",
            detail: "The embedding process ended. Try again."
          })
        }
      }
    })

    const rest = Effect.callback<void>((resume) => {
      const timer = setTimeout(() => wake(), restUntil - performance.now())
      const end = () => clearTimeout(timer)
      wake = () => {
        end()
        resume(Effect.void)
      }
      return Effect.sync(end)
    })

    const next = (): Task | undefined =>
      waiting.query.shift() ?? (performance.now() < restUntil ? undefined : waiting.document.shift())

    /** A single fiber takes the tasks; an interrupted caller has removed its own. */
    const work = Effect.gen(function*() {
      busy()
      while (waiting.query.length + waiting.document.length > 0) {
        const task = next()
        if (task === undefined) {
          yield* rest
          continue
        }
        const began = performance.now()
        task.done(yield* Effect.exit(vectorOf(task.text)))
        const ended = performance.now()
        if (task.lane === "document") restUntil = ended + restMillisOf(busy(), ended - began)
      }
      isRunning = false
    })
    const scope = yield* Effect.scope

    const embedOne = (text: string, lane: Lane) =>
      Effect.callback<Float32Array, EmbedderFailure>((resume) => {
        const task: Task = { text: text.slice(0, textLengthMax), lane, done: resume }
        waiting[lane].push(task)
        if (lane === "query") wake()
        if (!isRunning) {
          isRunning = true
          Effect.runFork(Effect.forkIn(work, scope))
        }
        return Effect.sync(() => {
          const index = waiting[lane].indexOf(task)
          if (index >= 0) waiting[lane].splice(index, 1)
        })
      })

    return {
      model: builtInModel,
      dimensions: builtInDimensions,
      label: "Local (English)",
      centsPerMillionTokens: undefined,
      partWords,
      pid: process.pid,
      embed: (texts, lane) =>
        waiting[lane].length + texts.length > waitingMax[lane]
          ? Effect.fail(
            new EmbedderFailure({ reason: "busy", detail: "Too many texts wait to be embedded. Try again." })
          )
          : Effect.map(
            Effect.forEach(texts, (text) => embedOne(text, lane), { concurrency: "unbounded" }),
            (vectors) => ({ vectors, tokens: 0 })
          )
    }
  })
