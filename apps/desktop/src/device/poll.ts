/**
 * The HTTP transport, for networks that block WebSockets: a heartbeat replaces the hello, the long poll delivers
 * commands, and reports of a command are POSTed one after another. Answers are converted to socket frames. Spec:
 * reference/devices.md "Long poll".
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
/** Delay after a poll that returned at once with nothing new. */
const idleMillis = 2_000
/** For the pending poll when a socket takes over: the hub ends it then. */
const retireMillis = 5_000

/** Every answer repeats the active controls; this returns the ones that the last answer did not have. */
export const trackControls = (): (controls: ReadonlyArray<Control> | undefined) => ReadonlyArray<Control> => {
  let known = new Set<string>()
  return (controls = []) => {
    const before = known
    known = new Set(controls.map((control) => JSON.stringify(control)))
    return controls.filter((control) => !before.has(JSON.stringify(control)))
  }
}

type Report = Exclude<DeviceFrame, { readonly type: "hello" | "heartbeat" }>

const decodeHeartbeat = Schema.decodeUnknownSync(HeartbeatAnswer)
const isControl = Schema.is(Control)

/** The members of an answer, each of which is decoded where it is used; none if it is no object. */
const membersOf = (body: unknown): Readonly<Record<string, unknown>> => isJsonObject(body) ? body : {}

/** Leaves out controls of later protocol versions. */
const controlsOf = (controls: unknown): ReadonlyArray<Control> =>
  Array.isArray(controls) ? controls.filter(isControl) : []

/** Throws for a malformed answer. */
const decoded = (frame: unknown): NextFrame => {
  const read = readFrame(frame)
  if ("frame" in read && read.frame.type !== "welcome") return read.frame
  throw new Error("problem" in read ? `malformed answer: ${read.problem}` : "malformed answer")
}

/** Converts an answer to the matching socket frame. Throws for a malformed answer. */
const frameOf = (sent: Report, { body, status }: HubAnswer): NextFrame => {
  const { command_id, type } = sent
  const answer = membersOf(body)
  if (status !== 200) {
    const about = { type: "error", to: type, command_id, ...(type === "output" ? { seq: sent.seq } : {}) }
    return decoded({ ...about, error: codeOf(body) === undefined ? { code: `http_${status}` } : answer["error"] })
  }
  switch (type) {
    case "ack":
    case "state":
      return decoded({ type: "acked", command_id, status: answer["status"], lease: answer["lease"] })
    case "output":
      return decoded({ type: "output_ack", command_id, next_seq: answer["next_seq"] })
    case "done":
      return decoded({
        type: "done",
        command_id,
        status: answer["status"],
        ...(answer["outcome"] === undefined ? {} : { outcome: answer["outcome"] })
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
  const newControlsOf = trackControls()
  /** Pending reports per command, in order. */
  const queues = new Map<string, Promise<void>>()
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
  const receiveControls = (controls: unknown): boolean => {
    const added = newControlsOf(controlsOf(controls))
    for (const control of added) onFrame(frameOfControl(control))
    return added.length > 0
  }
  const isTooMany = malformedCounter(onMalformed)
  /** None: no answer, or one that ended the link. */
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

  const post = async (frame: Report): Promise<void> => {
    // A socket took over and repeats the report.
    if (quiet.aborted) return
    const { command_id, type, ...body } = frame
    try {
      const answer = await ask("POST", `/devices/commands/${command_id}/${type}`, { body })
      if (answer === undefined) return
      onFrame(frameOf(frame, answer))
      if (answer.status === 200) receiveControls(membersOf(answer.body)["controls"])
    } catch (error) {
      unreachable(error)
    }
  }
  const send = (frame: DeviceFrame): void => {
    if (frame.type === "hello" || frame.type === "heartbeat") return
    const queue = (queues.get(frame.command_id) ?? Promise.resolve()).then(() => post(frame))
    queues.set(frame.command_id, queue)
    void queue.then(() => {
      if (queues.get(frame.command_id) === queue) queues.delete(frame.command_id)
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
      const members = membersOf(answer.body)
      const state = decodeHeartbeat({ ...members, controls: controlsOf(members["controls"]) })
      const first = session === undefined
      session = state.session_id
      if (first) {
        newControlsOf(state.controls)
        timer = setInterval(beat, intervalMillis(state.interval_seconds))
        onWelcome(state, send)
        taking = take().catch(unreachable)
        return
      }
      for (const command of state.lost) onFrame({ type: "cancel", command_id: command, lost: true })
      onAlive()
      receiveControls(state.controls)
      onBeat()
    } catch (error) {
      unreachable(error)
    }
  }
  const beat = (): void => {
    beating = beating.then(heartbeat)
  }

  /** Passes commands to the agent and returns their number. Throws when too many were malformed. */
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

  /** Polls until a socket takes over or the link ends. */
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
        const { controls, data } = membersOf(answer.body)
        const taken = takeCommands(data)
        const isNew = receiveControls(controls)
        if (taken === 0 && !isNew && waited < 1) await pause(idleMillis)
        continue
      }
      switch (codeOf(answer.body)) {
        case "socket_active":
          await pause(idleMillis)
          break
        case "session_ended":
          beat()
          await beating
          await pause(idleMillis)
          break
        default:
          // A proxy may cut a long poll; the heartbeat detects whether the hub is reachable.
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
      // Requests in flight are completed.
      void Promise.race([Promise.all([beating, ...queues.values(), taking]), sleep(retireMillis)]).then(() =>
        end({ kind: "closed", code: 1000, reason: "a socket delivers" })
      )
    }
  }
}
