import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { eventStreamAnswer } from "../platform/event-stream.ts"
import { Events } from "./events.ts"

const encoder = new TextEncoder()
let lastText = ""
let lastBytes = new Uint8Array()
/** Streams with the same content are sent the same text one after the other: it is encoded once. */
const encoded = (text: string): Uint8Array => {
  if (text !== lastText) {
    lastText = text
    lastBytes = encoder.encode(text)
  }
  return lastBytes
}

export const EventsHttp = HttpApiBuilder.group(
  HubApi,
  "events",
  Effect.fn(function*(handlers) {
    const events = yield* Events
    return handlers.handleAll({
      stream: Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        const request = yield* HttpServerRequest.HttpServerRequest
        // A browser that reconnects sends the header and repeats the first address: the header is newer.
        const sent = {
          "last-event-id": request.headers["last-event-id"],
          last_event_id: query.last_event_id,
          cursor: query.cursor
        }
        const [cursorName, cursor = ""] = Object.entries(sent).find(([, value]) => value !== undefined) ?? []
        const stream = yield* events.open(user, {
          workspace: query.workspace,
          cursor: cursor === "" ? undefined : cursor,
          cursorName
        })
        return eventStreamAnswer(Stream.map(stream, encoded))
      })
    })
  })
)
