/** The console's hub port over the bridge: the main process holds the session, sends requests, and retries. */
import type { CallOptions, HubClient } from "@countersign/hub-client/client"
import type { AnyInput } from "@countersign/hub-client/contract"
import { addressOf } from "@countersign/hub-client/endpoint-address"
import { endpoints } from "@countersign/hub-client/endpoints"
import { HubError } from "@countersign/hub-client/error"
import type { HubClock } from "@countersign/hub-client/hub-clock"
import type { Answer } from "../bridge/answer.ts"
import { streamed, uploadPieceBytesMax } from "../bridge/channels.ts"
import type { BridgedOptions, ConsoleBridge, EventsPiece } from "../bridge/contract.ts"

type AnyFunction = ((input: unknown, options: BridgedOptions) => Promise<Answer<unknown>>) | undefined

/** Rejects with the signal's reason if it aborts first; the main process still completes its request. */
const until = <A>(signal: AbortSignal | undefined, work: Promise<A>): Promise<A> => {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const ended = () => reject(signal.reason)
    if (signal.aborted) {
      work.catch(() => {})
      return ended()
    }
    signal.addEventListener("abort", ended, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", ended))
  })
}

const asked = async <A>(work: Promise<Answer<A>>): Promise<Extract<Answer<A>, { readonly ok: true }>> => {
  let answer: Answer<A>
  try {
    answer = await work
  } catch {
    throw new HubError({ status: 0, code: "refused", message: "The app refused this page's question." })
  }
  if (!answer.ok) throw new HubError(answer.error)
  return answer
}

const streamedName = (endpoint: string): typeof streamed[number] => {
  const name = streamed.find((each) => each === endpoint)
  if (name === undefined) {
    throw new HubError({ status: 0, code: "not_offered", message: "The app does not offer this to a page." })
  }
  return name
}

export interface BridgeClientOptions {
  readonly bridge: ConsoleBridge
  /** The profile's address, for links that people copy. */
  readonly hubUrl: string
  readonly clock: HubClock
}

export const makeBridgeClient = ({ bridge, clock, hubUrl }: BridgeClientOptions): HubClient => {
  const call = async (
    endpoint: keyof typeof endpoints,
    input: AnyInput,
    { idempotencyKey, once, signal, workspace }: CallOptions = {}
  ) => {
    const ask = (bridge.hub as Readonly<Record<string, AnyFunction>>)[endpoint]
    if (ask === undefined) {
      throw new HubError({ status: 0, code: "not_offered", message: "The app does not offer this to a page." })
    }
    const options = {
      ...workspace === undefined ? {} : { workspace },
      ...idempotencyKey === undefined ? {} : { idempotencyKey },
      ...once === undefined ? {} : { once }
    }
    const answer = await until(signal, asked(ask(input, options)))
    if (answer.time !== undefined) clock.observe(...answer.time)
    return answer.value
  }

  /** `open` requests the stream from the main process under this name. */
  const follow = async (
    signal: AbortSignal,
    open: (stream: string) => Promise<Answer<null>>
  ): Promise<ReadableStream<string>> => {
    const stream = crypto.randomUUID()
    let next = 0
    let controller: ReadableStreamDefaultController<string> | undefined
    const early: Array<EventsPiece> = []
    const close = () => {
      off()
      void bridge.shell.closeStream({ stream }).catch(() => {})
    }
    const take = (piece: EventsPiece) => {
      if (controller === undefined) return void early.push(piece)
      if (piece.seq !== next++) {
        close()
        return controller.error(
          new HubError({ status: 0, code: "stream_gap", message: "A piece of the stream is missing." })
        )
      }
      if (piece.kind === "text") return controller.enqueue(piece.text)
      off()
      if (piece.error === null) controller.close()
      else controller.error(new HubError(piece.error))
    }
    const off = bridge.onEvents((piece) => {
      if (piece.stream === stream) take(piece)
    })
    try {
      await until(signal, asked(open(stream)))
    } catch (error) {
      close()
      throw error
    }
    return new ReadableStream<string>({
      start: (made) => {
        controller = made
        for (const piece of early.splice(0)) take(piece)
      },
      cancel: close
    })
  }

  const upload: NonNullable<HubClient["upload"]> = async (
    file,
    { object, onProgress, onReserved, signal, workspace }
  ) => {
    const stream = crypto.randomUUID()
    const { shell } = bridge
    signal.throwIfAborted()
    const close = () => void shell.closeUpload({ stream }).catch(() => {})
    signal.addEventListener("abort", close, { once: true })
    try {
      const { value } = await until(signal, asked(shell.openUpload({ stream, workspace, object })))
      onReserved(value.object_id)
      for (let at = 0; at < file.size; at += uploadPieceBytesMax) {
        const bytes = new Uint8Array(await file.slice(at, at + uploadPieceBytesMax).arrayBuffer())
        await until(signal, asked(shell.sendUpload({ stream, bytes })))
        onProgress(at + bytes.length)
      }
      await until(signal, asked(shell.endUpload({ stream })))
    } catch (error) {
      close()
      throw error
    } finally {
      signal.removeEventListener("abort", close)
    }
  }

  return {
    upload,
    call: call as HubClient["call"],
    downloadUrl: (endpoint, input) =>
      `${hubUrl}/api/v1${addressOf(endpoints[endpoint].split(" ")[1] ?? "/", input as AnyInput)}`,
    events: ({ signal }) => follow(signal, (stream) => bridge.shell.openEvents({ stream })),
    stream: (endpoint, input, { idempotencyKey, lastEventId, signal, workspace }) =>
      follow(signal, (stream) =>
        bridge.shell.openStream({
          stream,
          endpoint: streamedName(endpoint),
          input,
          ...workspace === undefined ? {} : { workspace },
          ...lastEventId === undefined ? {} : { last_event_id: lastEventId },
          ...idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }
        }))
  }
}
