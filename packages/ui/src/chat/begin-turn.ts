/** Begins or continues a turn in the background; its events are then followed apart from the call that began it. */
import type { HubClient } from "@countersign/hub-client/client"
import type { Input } from "@countersign/hub-client/contract"
import { HubError } from "@countersign/hub-client/error"
import { makeEventParser } from "@countersign/hub-client/event-parser"

export type TurnPayload = Input<"chat.turn">["payload"]

/** The turn that a stream belongs to, from its first event. */
const turnOf = async (stream: ReadableStream<string>): Promise<string> => {
  const reader = stream.getReader()
  const parser = makeEventParser()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) throw new HubError({ status: 0, code: "network_error", message: "The answer ended before its start." })
      for (const { data } of parser.push(value)) return (JSON.parse(data) as { readonly turn_id: string }).turn_id
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** Returns the id of the turn. Under the same key a repeated call finds the turn that the first one began. */
export const beginTurn = async (
  hub: HubClient,
  workspace: string,
  payload: TurnPayload,
  idempotencyKey: string
): Promise<string> => {
  const hanging = new AbortController()
  const stream = await hub.stream("chat.turn", { payload: { ...payload, background: true } }, {
    workspace,
    idempotencyKey,
    signal: hanging.signal
  })
  try {
    return await turnOf(stream)
  } finally {
    hanging.abort()
  }
}
