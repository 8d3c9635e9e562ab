/** The open streams of turns at this hub: a turn that nobody reads pauses. Spec: reference/chat.md "Readers". */
import { Context, Effect, Layer, Stream } from "effect"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { ChatTurnsRepository } from "./turns-repository.ts"

/** Well below the time after which a turn counts as unread. */
const touchMillis = 5_000

export class ChatReaders extends Context.Service<ChatReaders, {
  /** The stream counts as a reader of the turn while it is open. `isCounted`: the turn's row already counts it. */
  readonly while: (turn: string, isCounted: boolean) => <A, E>(stream: Stream.Stream<A, E>) => Stream.Stream<A, E>
  readonly isOpen: (turn: string) => boolean
}>()("@countersign/hub/chat/ChatReaders") {
  static readonly layer = Layer.effect(
    ChatReaders,
    Effect.gen(function*() {
      const turns = yield* ChatTurnsRepository
      const readiness = yield* Readiness
      const open = new Map<string, number>()
      const touch = (ids: ReadonlyArray<string>) =>
        ids.length === 0 ? Effect.void : Effect.ignoreCause(turns.touch(ids))

      yield* repeatRounds(readiness, "readers of chat", touchMillis, Effect.suspend(() => touch([...open.keys()])))

      const hold = (turn: string, isCounted: boolean) =>
        Effect.acquireRelease(
          Effect.andThen(
            Effect.sync(() => void open.set(turn, (open.get(turn) ?? 0) + 1)),
            isCounted ? Effect.void : touch([turn])
          ),
          () =>
            Effect.suspend(() => {
              const left = (open.get(turn) ?? 1) - 1
              if (left === 0) open.delete(turn)
              else open.set(turn, left)
              return touch([turn])
            })
        )

      return ChatReaders.of({
        while: (turn, isCounted) => (stream) => Stream.unwrap(Effect.as(hold(turn, isCounted), stream)),
        isOpen: (turn) => open.has(turn)
      })
    })
  )
}
