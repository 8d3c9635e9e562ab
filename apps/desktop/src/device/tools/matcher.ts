/** Matches patterns in a thread, so that no pattern blocks the agent: a cancel or a timeout ends the thread. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { failed, Refusal } from "../results/refusal.ts"
import type { MatcherAnswer, MatcherRequest, Pattern } from "./matcher-thread.ts"

const memoryMegabytesMax = 256

/** A file beside this one in the sources; the app's build bundles this file into a larger one. */
const threadUrl = (): URL => {
  const candidates = ["./matcher-thread.ts", "./matcher-thread.js", "../matcher-thread.js"].map((path) =>
    new URL(path, import.meta.url)
  )
  const found = candidates.find((url) => existsSync(fileURLToPath(url)))
  if (found === undefined) throw failed("search_unavailable", "This installation lacks the search thread")
  return found
}

export interface Matcher {
  readonly fits: (path: string) => Promise<boolean>
  /** At most `most` lines. `exhausted`: the search reached its work limit. */
  readonly match: (text: string, most: number) => Promise<Extract<MatcherAnswer, { readonly type: "matched" }>>
  readonly close: () => Promise<void>
}

/** Rejects `invalid_input` for a pattern that is not RE2 or too complex, and with the reason of `stop`. */
export const openMatcher = async (pattern: Pattern, stop: AbortSignal): Promise<Matcher> => {
  stop.throwIfAborted()
  const worker = new Worker(threadUrl(), {
    workerData: pattern,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytesMax }
  })
  let waiting:
    | { readonly resolve: (answer: MatcherAnswer) => void; readonly reject: (reason: unknown) => void }
    | undefined
  let ended: { readonly reason: unknown } | undefined
  const end = (reason: unknown): void => {
    ended ??= { reason }
    waiting?.reject(ended.reason)
    waiting = undefined
    void worker.terminate()
  }
  const onStop = (): void => end(stop.reason)
  stop.addEventListener("abort", onStop, { once: true })
  worker.on("message", (answer: MatcherAnswer) => {
    waiting?.resolve(answer)
    waiting = undefined
  })
  worker.on(
    "error",
    (error: NodeJS.ErrnoException) =>
      end(
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? failed("search_too_large", "The search needs too much memory")
          : error
      )
  )
  worker.on("exit", () => end(failed("search_failed", "The search ended early")))
  const answered = (): Promise<MatcherAnswer> =>
    new Promise((resolve, reject) => {
      if (ended === undefined) waiting = { resolve, reject }
      else reject(ended.reason)
    })
  const ask = async <T extends MatcherAnswer["type"]>(
    type: T,
    request?: MatcherRequest
  ): Promise<Extract<MatcherAnswer, { readonly type: T }>> => {
    const next = answered()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    if (request !== undefined) worker.postMessage(request)
    const answer = await next
    if (answer.type !== type) {
      throw failed("invalid_input", answer.type === "refused" ? answer.problem : "The search failed")
    }
    return answer as Extract<MatcherAnswer, { readonly type: T }>
  }
  const close = async (): Promise<void> => {
    stop.removeEventListener("abort", onStop)
    ended ??= { reason: new Refusal("failed", "search_failed", "The search has ended") }
    await worker.terminate()
  }
  try {
    await ask("ready")
  } catch (error) {
    await close()
    throw error
  }
  return {
    fits: async (path) => pattern.glob === undefined || (await ask("fits", { type: "fits", path })).fits,
    match: (text, most) => ask("matched", { type: "match", text, most }),
    close
  }
}
