/**
 * The device agent inside the desktop app: a separate process that receives `start` (with its key) or `pair` over its
 * message port. When the port closes, consent and stopping are impossible, so the agent ends itself and its commands.
 * Spec: reference/desktop.md "Device process".
 */
import { Result, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Agent } from "./agent.ts"
import { type FromAgent, ToAgent } from "./app-port.ts"
import { type Ask, pendingAnswer } from "./consent.ts"
import { Exit, exitCodes } from "./exits.ts"
import { pair } from "./pairing.ts"
import { run } from "./run.ts"
import { openStateFolder } from "./state.ts"

/** The used part of Electron's `process.parentPort`. */
interface ParentPort {
  readonly on: (event: "message", listener: (event: { readonly data: unknown }) => void) => void
  readonly postMessage: (message: unknown) => void
}

const { parentPort } = process as unknown as { readonly parentPort?: ParentPort | null }
const send = (message: FromAgent): void => {
  if (parentPort == null) process.send?.(message, () => {})
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Electron's port, no window
  else parentPort.postMessage(message)
}

const decode = Schema.decodeUnknownResult(ToAgent)
const drain = new AbortController()
const kill = new AbortController()
const pause = new AbortController()
const panic = new AbortController()
const wakes = new Set<() => void>()
const localCalls = Promise.withResolvers<Agent["runLocal"]>()
const questions = new Map<string, { readonly digest: string; readonly give: (answer: "approved" | "denied") => void }>()

const screen: Ask = async ({ command, digest, plan }, stop) => {
  const question = randomUUID()
  const { answer, give } = pendingAnswer(stop)
  questions.set(question, { digest, give })
  send({
    type: "ask",
    question,
    digest,
    plan,
    command_id: command.id,
    requested_by: command.requested_by,
    ...(command.agent === undefined ? {} : { agent: command.agent }),
    ...(command.reason === undefined ? {} : { reason: command.reason })
  })
  return await answer.finally(() => {
    questions.delete(question)
    send({ type: "question_ended", question })
  })
}

/** Time for a posted message to be delivered before the process exits. */
const flushMillis = 50

const end = (code: number, reason?: string): void => {
  send({ type: "ended", code, ...(reason === undefined ? {} : { reason }) })
  setTimeout(() => process.exit(code), flushMillis)
}

const failed = (error: unknown): void => {
  if (error instanceof Exit) end(error.code, error.message)
  else end(exitCodes.retryable, error instanceof Error ? error.message : String(error))
}

process.on("uncaughtException", failed)

let started = false
const start = (message: Extract<ToAgent, { readonly type: "start" }>): void => {
  if (started) return
  started = true
  if (message.paused) pause.abort()
  const at = async () =>
    await run(openStateFolder(message.folder), {
      roots: [],
      once: false,
      takeOver: message.take_over,
      drain: drain.signal,
      kill: kill.signal,
      // The app reads the log file in the folder.
      print: () => {},
      app: {
        ...(message.key === undefined ? {} : { key: message.key }),
        screen,
        pause: pause.signal,
        panic: panic.signal,
        onPanicked: () => send({ type: "panicked" }),
        onWake: (listener) => wakes.add(listener),
        onState: (state) => send({ type: "state", ...state }),
        onLocalCalls: localCalls.resolve
      }
    })
  at().then((code) => end(code), failed)
}

const kept = Promise.withResolvers<void>()
const beginPairing = ({ ca, folder, hub, name }: Extract<ToAgent, { readonly type: "pair" }>): void => {
  if (started) return
  started = true
  const at = async () =>
    await pair(openStateFolder(folder), {
      hub,
      name,
      roots: [],
      askVia: "screen",
      signal: drain.signal,
      ...(ca === undefined ? {} : { ca }),
      onPairing: (pairing) => send({ type: "pairing", ...pairing }),
      keep: async ({ device, key }) => {
        send({ type: "paired", device_id: device, key })
        // The app that would store the key is gone.
        drain.signal.addEventListener("abort", () => kept.reject(drain.signal.reason))
        await kept.promise
      }
    })
  at().then(() => end(exitCodes.done), (error: unknown) => drain.signal.aborted ? end(exitCodes.done) : failed(error))
}

const receive = (data: unknown): void => {
  const decoded = decode(data)
  if (Result.isFailure(decoded)) return
  const message = decoded.success
  switch (message.type) {
    case "start":
      return start(message)
    case "pair":
      return beginPairing(message)
    case "kept":
      return kept.resolve()
    case "answer": {
      const asked = questions.get(message.question)
      if (asked?.digest === message.digest) asked.give(message.answer)
      return
    }
    case "local": {
      const { type: _, ...call } = message
      return void localCalls.promise.then((run) => run(call)).then((ending) =>
        send({ type: "local_done", call: call.call, ending })
      )
    }
    case "pause":
      return pause.abort()
    case "panic":
      return panic.abort()
    case "wake": {
      for (const wake of wakes) wake()
      return
    }
    case "stop":
      return started ? drain.abort() : end(exitCodes.done)
  }
}

const orphaned = (): void => {
  drain.abort()
  kill.abort()
  if (!started) process.exit(exitCodes.done)
}

if (parentPort == null) {
  process.on("message", receive)
  process.on("disconnect", orphaned)
} else parentPort.on("message", ({ data }) => receive(data))
// At system shutdown the signal reaches both the app and this process, and the app also sends `stop`: together they
// count as one request. A second signal kills running commands.
let signalled = false
process.on("SIGTERM", () => {
  if (signalled) kill.abort()
  signalled = true
  drain.abort()
})
