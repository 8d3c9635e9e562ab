/** Sends a message, answers one again, or continues a turn; an uncertain attempt is repeated under its key. */
import { newIdempotencyKey } from "@countersign/domain/idempotency-key"
import type { HubError } from "@countersign/hub-client/error"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useRef } from "react"
import { useWorkspaceId } from "../app/session.ts"
import { hubOf } from "../hub/query-options.ts"
import { withStepUp } from "../hub/step-up.ts"
import { touch } from "../hub/touch.ts"
import { beginTurn, type TurnPayload } from "./begin-turn.ts"
import { withLocalTools } from "./local-tools.ts"

export const useBeginTurn = (onBegun: (turn: string, payload: TurnPayload) => void) => {
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const intent = useRef<{ readonly of: string; readonly key: string; readonly payload: TurnPayload }>(undefined)
  return useMutation<string, HubError, TurnPayload>({
    mutationFn: async (payload) => {
      const of = JSON.stringify(payload)
      const { key, payload: sent } = intent.current?.of === of
        ? intent.current
        : { key: newIdempotencyKey(), payload: await withLocalTools(payload) }
      intent.current = { of, key, payload: sent }
      const turn = await withStepUp(queries, () => beginTurn(hubOf(queries), workspace, sent, key))
      intent.current = undefined
      await touch(queries, workspace, ["chat.get", "chat.list"])
      return turn
    },
    onSuccess: onBegun,
    // Another window may have begun a turn.
    onError: ({ status }) => {
      if (status === 409) void touch(queries, workspace, ["chat.get", "chat.list"])
    }
  })
}
