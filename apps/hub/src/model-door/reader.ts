/** What a model streams, for one reader that may be slower than the model. An answer is bounded, so nothing waits. */
import { AnswerBuilder, type ModelAnswer, type ModelEvent } from "../providers/model-answer.ts"

export interface Reader {
  readonly push: (event: ModelEvent) => void
  readonly close: () => void
  /** The first content arrived, or the stream was closed. */
  readonly first: Promise<void>
  /** All events since the last call; `undefined` after the last one. */
  readonly next: () => Promise<ReadonlyArray<ModelEvent> | undefined>
  readonly answer: () => ModelAnswer
}

const isContent = ({ type }: ModelEvent): boolean => type === "text" || type === "thinking" || type === "call"

export const makeReader = (): Reader => {
  const builder = new AnswerBuilder()
  let waiting: Array<ModelEvent> = []
  let isClosed = false
  let wake = () => {}
  const begun = Promise.withResolvers<void>()
  return {
    push: (event) => {
      builder.add(event)
      waiting.push(event)
      if (isContent(event)) begun.resolve()
      wake()
    },
    close: () => {
      isClosed = true
      wake()
    },
    first: begun.promise,
    next: async () => {
      while (waiting.length === 0) {
        if (isClosed) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const events = waiting
      waiting = []
      return events
    },
    answer: () => builder.answer
  }
}
