/** Tools of the computer that the console runs on. The desktop app offers them; a browser has none. */
import type { ChatSessionId, ChatTurnId } from "@countersign/domain/ids"
import type { TurnPayload } from "./begin-turn.ts"

export interface LocalToolsHost {
  /** For the next turn; empty if this computer runs no commands now. */
  readonly tools: () => Promise<NonNullable<TurnPayload["local_tools"]>>
  /**
   * Runs the calls that a turn waits for, by the rules of this computer, and continues the turn. Rejects with a
   * `HubError`.
   */
  readonly answer: (
    ask: { readonly workspace: string; readonly session: ChatSessionId; readonly turn: ChatTurnId }
  ) => Promise<void>
}

let host: LocalToolsHost | undefined

/** Call it once, before the console starts. */
export const offerLocalTools = (given: LocalToolsHost): void => {
  host = given
}

export const localToolsHost = (): LocalToolsHost | undefined => host

/** A new answer of an agent may use the computer's tools. */
export const withLocalTools = async (payload: TurnPayload): Promise<TurnPayload> => {
  if (host === undefined || payload.continue_from !== undefined) return payload
  const local_tools = await host.tools().catch(() => [])
  return local_tools.length === 0 ? payload : { ...payload, local_tools }
}
