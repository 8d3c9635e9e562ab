/** A client of chat, as a test drives it: streams read to their end, or to an event. */
import { Effect } from "effect"
import { type Answer, expectStatus, type HubInTest } from "./hub.ts"

export interface ChatFrame {
  readonly id: string
  readonly event: string
  // deno-lint-ignore no-explicit-any
  readonly data: Answer["body"]
}

/** The events in the text of a stream; comments are left out. */
export const framesIn = (text: string): ReadonlyArray<ChatFrame> =>
  text.split("\n\n").flatMap((block) => {
    const fields = new Map(
      block.split("\n").filter((line) => /^(?:id|event|data): /u.test(line)).map((line) => [
        line.slice(0, line.indexOf(": ")),
        line.slice(line.indexOf(": ") + 2)
      ])
    )
    const data = fields.get("data")
    return data === undefined
      ? []
      : [{ id: fields.get("id") ?? "", event: fields.get("event") ?? "", data: JSON.parse(data) as Answer["body"] }]
  })

export interface StreamCall {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
  /** Hangs up after this event. */
  readonly until?: (frame: ChatFrame) => boolean
}

/** Reads a stream until it ends. */
export const streamOf = (url: string, path: string, { body, headers, until }: StreamCall) =>
  Effect.promise(async () => {
    const abort = new AbortController()
    const response = await fetch(`${url}/api/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...headers, ...body === undefined ? {} : { "content-type": "application/json" } },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
      signal: abort.signal
    })
    if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
      return {
        status: response.status,
        frames: [],
        headers: response.headers,
        body: await response.json() as Answer["body"]
      }
    }
    let text = ""
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body!) {
        text += decoder.decode(chunk as Uint8Array, { stream: true })
        if (until !== undefined && framesIn(text.slice(0, text.lastIndexOf("\n\n") + 2)).some(until)) abort.abort()
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error
    }
    return {
      status: response.status,
      frames: framesIn(text),
      headers: response.headers,
      body: undefined as Answer["body"]
    }
  })

/** The texts of the parts of an answer, each delta applied at its offset. */
export const textsOf = (frames: ReadonlyArray<ChatFrame>, event = "message_delta"): ReadonlyArray<string> => {
  const parts = new Map<number, string>()
  for (const frame of frames) {
    if (frame.event !== event) continue
    const { delta, offset, part } = frame.data
    parts.set(part, (parts.get(part) ?? "").slice(0, offset) + delta)
  }
  return [...parts].sort(([one], [other]) => one - other).map(([, text]) => text)
}

/** Calls of one credential: an agent key, a token, or a cookie. */
export const chatOf = (
  hub: Pick<HubInTest, "url" | "api">,
  credential: { readonly key?: string; readonly pat?: string; readonly cookie?: string }
) => {
  const bearer = credential.key ?? credential.pat
  const headers: Record<string, string> = bearer === undefined
    ? { cookie: credential.cookie ?? "" }
    : { authorization: `Bearer ${bearer}` }
  const call = (method: string, path: string, body?: object) =>
    hub.api(method, path, { ...credential, ...body === undefined ? {} : { body } })
  return {
    call,
    headers,
    session: (input: object = {}) =>
      Effect.map(call("POST", "/chat/sessions", input), (answer) => expectStatus(answer, 201).body),
    turn: (body: object, more: { headers?: Record<string, string>; until?: StreamCall["until"] } = {}) =>
      streamOf(hub.url, "/chat/turn", {
        headers: { ...headers, ...more.headers },
        body,
        ...more.until === undefined ? {} : { until: more.until }
      }),
    events: (turn: string, last?: string) =>
      streamOf(hub.url, `/chat/turns/${turn}/events`, {
        headers: { ...headers, ...last === undefined ? {} : { "last-event-id": last } }
      })
  }
}
