/** Long results and texts of a session. Spec: reference/chat.md "Artifacts". */
import { resolvePointer } from "@countersign/domain/pointer"
import { Context, Effect, Layer, Option } from "effect"
import type { DrivenTurn } from "./records.ts"
import { ChatTurnsRepository } from "./turns-repository.ts"

/** The most characters that one read returns. */
const readLength = 8 * 1024

export interface ArtifactPart {
  readonly text: string
  readonly offset: number
  readonly length: number
  readonly next_offset?: number
}

/** A part of a text, or of a JSON value in it; a text when the arguments are wrong. */
export const partOf = (text: string, offset: unknown, pointer: unknown): ArtifactPart | string => {
  let whole = text
  if (pointer !== undefined && pointer !== "") {
    if (typeof pointer !== "string") return "pointer: expected a JSON Pointer"
    const found = resolvePointer(jsonOf(text), pointer)
    if (!found.found) return "pointer: it points to nothing"
    whole = typeof found.value === "string" ? found.value : JSON.stringify(found.value)
  }
  const at = offset ?? 0
  if (typeof at !== "number" || !Number.isSafeInteger(at) || at < 0) {
    return "offset: expected a whole number of 0 or more"
  }
  const end = at + readLength
  return {
    text: whole.slice(at, end).toWellFormed(),
    offset: at,
    length: whole.length,
    ...end < whole.length ? { next_offset: end } : {}
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export class ChatArtifacts extends Context.Service<ChatArtifacts, {
  /** The text of an artifact of the turn's session, or of a result by its call; undefined when there is none. */
  readonly read: (turn: DrivenTurn, id: string) => Effect.Effect<string | undefined>
}>()("@countersign/hub/chat/ChatArtifacts") {
  static readonly layer = Layer.effect(
    ChatArtifacts,
    Effect.map(ChatTurnsRepository, (turns) =>
      ChatArtifacts.of({
        read: Effect.fnUntraced(function*({ org_id: org, session_id: session }, id) {
          if (!id.startsWith("art_")) return yield* turns.resultOf(org, session, id)
          const blob = Option.getOrUndefined(yield* turns.blob(org, id))
          return blob === undefined || blob.session_id !== session
            ? undefined
            : new TextDecoder().decode(blob.body)
        })
      }))
  )
}
