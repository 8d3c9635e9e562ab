/** A customer's system that receives webhooks: it records each message, and a test decides its answers. */
import { Effect, type Scope } from "effect"
import type { ServerResponse } from "node:http"
import { httpUpstream, type Received } from "./upstream.ts"

export interface WebhookReceiver {
  readonly origin: string
  readonly url: string
  /** Every message that arrived whole, in order. */
  readonly received: ReadonlyArray<Received>
  /** The first `count` messages, once they have arrived. */
  readonly messages: (count: number) => Effect.Effect<ReadonlyArray<Received>>
  /** The most messages that were without an answer at the same time. */
  readonly openMax: () => number
}

export type Reply = (message: Received, response: ServerResponse, number: number) => void

const accept: Reply = (_message, response) => void response.writeHead(204).end()

export const webhookReceiver = (reply: Reply = accept): Effect.Effect<WebhookReceiver, never, Scope.Scope> =>
  Effect.gen(function*() {
    const waiting = new Set<() => void>()
    let open = 0
    let openMax = 0
    let number = 0
    const upstream = yield* httpUpstream((message, response) => {
      openMax = Math.max(openMax, ++open)
      response.once("close", () => open--)
      reply(message, response, ++number)
      for (const look of Array.from(waiting)) look()
    })
    const { origin, received } = upstream
    return {
      origin,
      url: `${origin}/hooks`,
      received,
      openMax: () => openMax,
      messages: (count) =>
        Effect.callback<ReadonlyArray<Received>>((resume) => {
          const look = () => {
            if (received.length < count) return
            waiting.delete(look)
            resume(Effect.succeed(received.slice(0, count)))
          }
          waiting.add(look)
          look()
          return Effect.sync(() => waiting.delete(look))
        })
    }
  })

/** The ids of messages: the same event has the same one in every attempt. */
export const idsOf = (messages: ReadonlyArray<Received>): ReadonlyArray<string> =>
  messages.map(({ headers }) => String(headers["webhook-id"]))
