/** An event stream as a browser reads it. */
import { Effect, Queue } from "effect"

export interface Frame {
  readonly id: string
  readonly event: string
  readonly data: {
    readonly type: string
    readonly subject: { readonly type: string; readonly id: string }
    readonly version: number
    readonly workspace?: string
  }
}

/** Reads a stream in the background: blocks of lines, comments included; `frame` takes the next block that is none. */
export const listenTo = Effect.fnUntraced(function*(url: string, path: string, headers: Record<string, string>) {
  const blocks = yield* Queue.unbounded<string>()
  const ended = yield* Queue.unbounded<void>()
  const abort = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const response = yield* Effect.promise(() => fetch(`${url}/api/v1${path}`, { headers, signal: abort.signal }))
  const read = async () => {
    let rest = ""
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) {
      const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n\n")
      rest = parts.pop() ?? ""
      for (const part of parts) Queue.offerUnsafe(blocks, part)
    }
  }
  read().catch(() => {}).finally(() => Queue.offerUnsafe(ended, undefined))
  const frame = Effect.gen(function*() {
    for (;;) {
      const block = yield* Queue.take(blocks)
      if (block.startsWith(":")) continue
      const fields = new Map(
        block.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)])
      )
      return { id: fields.get("id")!, event: fields.get("event")!, data: JSON.parse(fields.get("data")!) } as Frame
    }
  })
  return { response, block: Queue.take(blocks), frame, ended: Queue.take(ended), abort }
})
