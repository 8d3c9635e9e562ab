/**
 * The hub over HTTP alone, where no socket gets through: a heartbeat in place of the hello, commands by the long poll, what is said of a
 * command by POST, one after the other. Answers become the frames that a socket would have brought. Spec: contract 8a.
 */
import { type NextFrame, parseFrame, readFrame } from "@countersign/domain/device-frames"
import { Control, type DeviceFrame, HeartbeatAnswer, runningMax } from "@countersign/domain/device-protocol"
import { isJsonObject } from "@countersign/domain/json"
import { Schema } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { codeOf, type HubAnswer, hubApi, whyUnreachable } from "./hub-api.ts"
import { frameOfControl, intervalMillis, type LinkEnd, malformedCounter, type OpenLink } from "./link.ts"

const waitSecondsMost = 50
const waitSecondsLeast = 5
/** When the poll answered at once what is known already. */
const calmMillis = 2_000
/** For the poll that is under way when a socket takes over: the hub ends it then. */
const retireMillis = 5_000

/** Controls stand on every answer as long as they apply: this gives those that were not there before. */
export const makeNews = (): (controls: ReadonlyArray<Control> | undefined) => ReadonlyArray<Control> => {
  let known = new Set<string>()
  return (controls = []) => {
    const before = known
    known = new Set(controls.map((control) => JSON.stringify(control)))
    return controls.filter((control) => !before.has(JSON.stringify(control)))
  }
}

type Said = Exclude<DeviceFrame, { readonly type: "hello" | "heartbeat" }>

const decodeHeartbeat = Schema.decodeUnknownSync(HeartbeatAnswer)
const isControl = Schema.is(Control)

/** Controls of later hubs are left out. */
const controlsOf = (controls: unknown): ReadonlyArray<Control> =>
  Array.isArray(controls) ? controls.filter(isControl) : []

/** Throws if the answer does not fit. */
const decoded = (frame: unknown): NextFrame => {
  const read = readFrame(frame)
  if ("frame" in read && read.frame.type !== "welcome") return read.frame
  throw new Error("problem" in read ? `malformed answer: ${read.problem}` : "malformed answer")
}

/** The frame that a socket would have brought. Throws if the answer does not fit. */
const frameOf = (sent: Said, { body, status }: HubAnswer): NextFrame => {
  const { command_id, type } = sent
  if (status !== 200) {
    const about = { type: "error", to: type, command_id, ...(type === "output" ? { seq: sent.seq } : {}) }
    return decoded({ ...about, error: codeOf(body) === undefined ? { code: `http_${status}` } : body.error })
  }
  switch (type) {
    case "ack":
    case "state":
      return decoded({ type: "acked", command_id, status: body?.status, lease: body?.lease })
    case "output":
      return decoded({ type: "output_ack", command_id, next_seq: body?.next_seq })
    case "done":
      return decoded({
        type: "done",
        command_id,
        status: body?.status,
        ...(body?.outcome === undefined ? {} : { outcome: body.outcome })
      })
  }
}

export const openPoll: OpenLink = (
  { device, hub, key, onAlive, onBeat, onFrame, onMalformed, onWelcome, report, signal, tools }
) => {
  const api = hubApi(hub)
  const over = new AbortController()
  const gone = AbortSignal.any([signal, over.signal])
  const retired = new AbortController()
  const quiet = AbortSignal.any([gone, retired.signal])
  const newsOf = makeNews()
  /** What is said of each command, in its order. */
  const lines = new Map<string, Promise<void>>()
  let session: string | undefined
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> = Promise.resolve()
  let taking: Promise<void> | undefined
  let end!: (how: LinkEnd) => void
  const ended = new Promise<LinkEnd>((resolve) => {
    end = (how) => {
      clearInterval(timer)
      resolve(how)
      over.abort()
    }
  })
  const refuse = ({ body, retryAfterSeconds, status }: HubAnswer): void =>
    end({ kind: "refused", status, code: codeOf(body), retryAfterSeconds })
  const hear = (controls: unknown): boolean => {
    const news = newsOf(controlsOf(controls))
    for (const control of news) onFrame(frameOfControl(control))
    return news.length > 0
  }
  const isTooMany = malformedCounter(onMalformed)
  /** None: it did not come, or it ended the link. */
  const ask = async (
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly waitSeconds?: number } = {}
  ): Promise<HubAnswer | undefined> => {
    const answer = await api.call(method, path, { bearer: key, signal: gone, ...options })
    const code = codeOf(answer.body)
    if (answer.status !== 401 && code !== "superseded") return answer
    refuse(answer)
    return undefined
  }
  const unreachable = (error: unknown): void => end({ kind: "unreachable", why: whyUnreachable(error) })
  const pause = (millis: number): Promise<void> => sleep(millis, undefined, { signal: quiet }).catch(() => {})

  const post = async (frame: Said): Promise<void> => {
    // A socket took over, and there it is said again.
    if (quiet.aborted) return
    const { command_id, type, ...body } = frame
    try {
      const answer = await ask("POST", `/devices/commands/${command_id}/${type}`, { body })
      if (answer === undefined) return
      onFrame(frameOf(frame, answer))
      if (answer.status === 200) hear(answer.body?.controls)
    } catch (error) {
      unreachable(error)
    }
  }
  const send = (frame: DeviceFrame): void => {
    if (frame.type === "hello" || frame.type === "heartbeat") return
    const line = (lines.get(frame.command_id) ?? Promise.resolve()).then(() => post(frame))
    lines.set(frame.command_id, line)
    void line.then(() => {
      if (lines.get(frame.command_id) === line) lines.delete(frame.command_id)
    })
  }

  const heartbeat = async (): Promise<void> => {
    if (quiet.aborted) return
    try {
      const answer = await ask("POST", `/devices/${device}/heartbeat`, {
        body: { ...report(), ...(session === undefined ? { capabilities: tools } : {}) }
      })
      if (answer === undefined) return
      if (answer.status !== 200) return refuse(answer)
      const standing = decodeHeartbeat({ ...answer.body, controls: controlsOf(answer.body?.controls) })
      const first = session === undefined
      session = standing.session_id
      if (first) {
        newsOf(standing.controls)
        timer = setInterval(beat, intervalMillis(standing.interval_seconds))
        onWelcome(standing, send)
        taking = take().catch(unreachable)
        return
      }
      for (const command of standing.lost) onFrame({ type: "cancel", command_id: command, lost: true })
      onAlive()
      hear(standing.controls)
      onBeat()
    } catch (error) {
      unreachable(error)
    }
  }
  const beat = (): void => {
    beating = beating.then(heartbeat)
  }

  /** How many there were that the agent could read. Throws when too many were malformed. */
  const takeCommands = (list: unknown): number => {
    if (!Array.isArray(list)) throw new Error("malformed answer: no list of commands")
    let taken = 0
    for (const each of list.slice(0, runningMax)) {
      const { lease, ...command } = isJsonObject(each) ? each : {}
      const read = parseFrame(JSON.stringify({ type: "command", command, lease }))
      if ("frame" in read && read.frame.type === "command") {
        onFrame(read.frame)
        taken++
      } else if (isTooMany("problem" in read ? read.problem : "no command")) throw new Error("malformed answers")
    }
    return taken
  }

  /** Until a socket takes over, or it ends. */
  const take = async (): Promise<void> => {
    let waitSeconds = waitSecondsMost
    while (!quiet.aborted) {
      const began = performance.now()
      const path = `/devices/sessions/${session}/commands?wait=${waitSeconds}&max=${runningMax}&boot_id=${
        encodeURIComponent(report().boot_id)
      }`
      const answer = await ask("GET", path, { waitSeconds }).catch((error: unknown) => {
        if (gone.aborted) return undefined
        return { status: 0, body: undefined, why: error }
      })
      if (answer === undefined) return
      const waited = (performance.now() - began) / 1_000
      if (answer.status === 200) {
        const taken = takeCommands(answer.body?.data)
        const isNew = hear(answer.body?.controls)
        if (taken === 0 && !isNew && waited < 1) await pause(calmMillis)
        continue
      }
      switch (codeOf(answer.body)) {
        case "socket_active":
          await pause(calmMillis)
          break
        case "session_ended":
          beat()
          await beating
          await pause(calmMillis)
          break
        default:
          // A proxy may end what is long in coming; the heartbeat says whether the hub is there.
          if (waited < waitSecondsLeast) return "why" in answer ? unreachable(answer.why) : refuse(answer)
          waitSeconds = Math.max(waitSecondsLeast, Math.floor(waited / 2))
      }
    }
  }

  beat()
  gone.addEventListener("abort", () => end({ kind: "closed", code: 1000, reason: "" }), { once: true })
  return {
    ended,
    beat,
    retire: () => {
      if (retired.signal.aborted) return
      retired.abort()
      clearInterval(timer)
      // What is under way is heard to its end.
      void Promise.race([Promise.all([beating, ...lines.values(), taking]), sleep(retireMillis)]).then(() =>
        end({ kind: "closed", code: 1000, reason: "a socket delivers" })
      )
    }
  }
}
