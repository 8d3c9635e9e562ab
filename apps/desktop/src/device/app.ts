/**
 * The agent inside the desktop app: a process of its own, told over its message port to run, with its key, or to pair.
 * When the port is gone nobody can be asked and nobody can stop it: it ends, and what it runs with it. Spec: desktop 4.3
 * "process".
 */
import { Result, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { type FromAgent, ToAgent } from "./app-port.ts"
import { type Ask, pendingAnswer } from "./consent.ts"
import { Exit, exitCodes } from "./exits.ts"
import { pair } from "./pairing.ts"
import { run } from "./run.ts"
import { openStateFolder } from "./state.ts"

/** Electron's `process.parentPort`, as far as it is used. */
interface ParentPort {
  readonly on: (event: "message", listener: (event: { readonly data: unknown }) => void) => void
  readonly postMessage: (message: unknown) => void
}

const { parentPort } = process as unknown as { readonly parentPort?: ParentPort | null }
const say = (message: FromAgent): void => {
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
const questions = new Map<string, { readonly digest: string; readonly give: (answer: "approved" | "denied") => void }>()

const screen: Ask = async ({ command, digest, plan }, stop) => {
  const question = randomUUID()
  const { answer, give } = pendingAnswer(stop)
  questions.set(question, { digest, give })
  say({
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
    say({ type: "withdrawn", question })
  })
}

/** What is posted needs a moment to be gone. */
const partingMillis = 50

const end = (code: number, reason?: string): void => {
  say({ type: "ended", code, ...(reason === undefined ? {} : { reason }) })
  setTimeout(() => process.exit(code), partingMillis)
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
      // The app reads it in the folder.
      print: () => {},
      app: {
        ...(message.key === undefined ? {} : { key: message.key }),
        screen,
        pause: pause.signal,
        panic: panic.signal,
        onPanicked: () => say({ type: "panicked" }),
        onWake: (listener) => wakes.add(listener),
        onState: (state) => say({ type: "state", ...state })
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
      onPairing: (pairing) => say({ type: "pairing", ...pairing }),
      keep: async (key, device_id) => {
        say({ type: "paired", device_id, key })
        // Nobody is left who could keep it.
        drain.signal.addEventListener("abort", () => kept.reject(drain.signal.reason))
        await kept.promise
      }
    })
  at().then(() => end(exitCodes.done), (error: unknown) => drain.signal.aborted ? end(exitCodes.done) : failed(error))
}

const hear = (data: unknown): void => {
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
  process.on("message", hear)
  process.on("disconnect", orphaned)
} else parentPort.on("message", ({ data }) => hear(data))
// When the computer shuts down the app is told by signal, and its children are, too: that and the app's own word are one end. Only
// a second signal hurries it.
let signalled = false
process.on("SIGTERM", () => {
  if (signalled) kill.abort()
  signalled = true
  drain.abort()
})
