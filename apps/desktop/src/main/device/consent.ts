/**
 * Consent of the person at this computer before a command runs, one question at a time. Main decides, not the window:
 * an approval counts only for the question that was drawn, at least 1.5 s after drawing and after its last line was
 * displayed. Everything else denies: Escape, a closed or crashed window, a locked screen, sleep, or 300 s without an
 * answer. The agent reads its rules again after an approval. Spec: reference/devices.md "D10: doubt is denial", "D11:
 * the owner's window", "D12: rules after consent".
 */
import { consentSeconds } from "@countersign/domain/device-protocol"
import type { OwnerQuestion } from "../../bridge/owner.ts"
import type { AgentQuestion } from "../../device/app-port.ts"
import type { Answer } from "../../device/consent.ts"
import { consentLines } from "./consent-text.ts"

/** Time between the drawing of a question and the first accepted approval. */
export const approvalDelayMillis = 1_500
/** Further questions are denied. */
export const questionsMax = 16

/** The content of the owner's window. The focus is always on "Deny". */
export type ConsentDrawing = OwnerQuestion

export type DenyCause =
  | "person"
  | "escape"
  | "closed"
  | "crashed"
  | "locked"
  | "suspended"
  | "expired"
  | "stopped"
  | "too_many"
  | "agent_gone"

export type AllowRefusal = "other_question" | "expired" | "not_drawn" | "too_soon" | "not_read"

export interface Consent {
  /** `give` is called once. */
  readonly ask: (question: AgentQuestion, give: (answer: Answer) => void) => void
  /** The answer is no longer needed; `give` is not called. */
  readonly withdraw: (question: string) => void
  /** The window displays this question. */
  readonly drawn: (question: string, digest: string) => void
  /** The window has displayed the question down to its last line. */
  readonly read: (question: string, digest: string) => void
  /** Undefined: the command is allowed. */
  readonly allow: (question: string, digest: string) => AllowRefusal | undefined
  readonly deny: (question: string, cause: "person" | "escape" | "closed") => void
  /** While true, pending and new questions are denied. */
  readonly setLocked: (locked: boolean) => void
  readonly setStopped: (stopped: boolean) => void
  /** The computer goes to sleep, so no person is present. */
  readonly suspended: () => void
  /** Denies questions that expired by wall clock: timers stop while a computer sleeps. */
  readonly expireDue: () => void
  /** Denies all pending questions, since no window can show them. */
  readonly crashed: () => void
  /** The agent ended, so its questions are obsolete. */
  readonly agentGone: () => void
  readonly current: () => ConsentDrawing | undefined
  readonly subscribe: (listener: (drawing: ConsentDrawing | undefined) => void) => () => void
}

export interface ConsentOptions {
  /** Monotonic, in milliseconds. */
  readonly now: () => number
  /** Wall clock, in milliseconds since 1970. */
  readonly wall?: () => number
  readonly after: (millis: number, act: () => void) => () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

interface Entry {
  readonly question: AgentQuestion
  readonly give: (answer: Answer) => void
  readonly lines: ReadonlyArray<string>
  readonly expiresAt: number
  readonly stopTimer: () => void
  drawnAt: number | undefined
  isRead: boolean
  stopDelay: () => void
}

export const makeConsent = ({ after, log, now, wall = Date.now }: ConsentOptions): Consent => {
  /** The first entry is displayed. */
  let entries: ReadonlyArray<Entry> = []
  let locked = false
  let stopped = false
  const listeners = new Set<(drawing: ConsentDrawing | undefined) => void>()

  const isLive = ({ drawnAt, isRead }: Entry): boolean =>
    isRead && drawnAt !== undefined && now() - drawnAt >= approvalDelayMillis
  const current = (): ConsentDrawing | undefined => {
    const entry = entries[0]
    return entry === undefined ? undefined : {
      question: entry.question.question,
      digest: entry.question.digest,
      lines: entry.lines,
      expiresAt: entry.expiresAt,
      behind: entries.length - 1,
      allow: isLive(entry)
    }
  }
  const notify = (): void => {
    const drawing = current()
    for (const listener of listeners) listener(drawing)
  }
  const find = (question: string): Entry | undefined => entries.find((entry) => entry.question.question === question)
  const shown = (question: string, digest: string): Entry | undefined => {
    const entry = entries[0]
    return entry?.question.question === question && entry.question.digest === digest ? entry : undefined
  }
  const leave = (entry: Entry): void => {
    entry.stopTimer()
    entry.stopDelay()
    entries = entries.filter((each) => each !== entry)
  }
  const settle = (entry: Entry, answer: Answer, cause?: DenyCause): void => {
    leave(entry)
    const { command_id, digest } = entry.question
    const facts = { command_id, plan_digest: digest, ...(cause === undefined ? {} : { cause }) }
    log(answer === "approved" ? "consent_given" : "consent_denied", facts)
    entry.give(answer)
  }
  const expire = (over: ReadonlyArray<Entry>): void => {
    for (const entry of over) settle(entry, "denied", "expired")
    if (over.length > 0) notify()
  }
  const denyAll = (cause: DenyCause): void => {
    const all = entries
    for (const entry of all) settle(entry, "denied", cause)
    if (all.length > 0) notify()
  }

  return {
    ask: (question, give) => {
      const isFull = entries.length >= questionsMax || find(question.question) !== undefined
      const refused = stopped ? "stopped" : locked ? "locked" : isFull ? "too_many" : undefined
      if (refused !== undefined) {
        log("consent_denied", { command_id: question.command_id, plan_digest: question.digest, cause: refused })
        return give("denied")
      }
      const entry: Entry = {
        question,
        give,
        lines: consentLines(question),
        expiresAt: wall() + consentSeconds * 1_000,
        drawnAt: undefined,
        isRead: false,
        stopDelay: () => {},
        stopTimer: after(consentSeconds * 1_000, () => expire([entry]))
      }
      entries = [...entries, entry]
      notify()
    },
    withdraw: (question) => {
      const entry = find(question)
      if (entry === undefined) return
      leave(entry)
      notify()
    },
    drawn: (question, digest) => {
      // Only the first question is displayed, so only it can be drawn.
      const entry = shown(question, digest)
      if (entry === undefined || entry.drawnAt !== undefined) return
      const drawnAt = now()
      entry.drawnAt = drawnAt
      // A timer may fire a fraction of a millisecond early; without another timer the approval would stay disabled.
      const wait = (): void => {
        const left = approvalDelayMillis - (now() - drawnAt)
        if (left <= 0) return notify()
        entry.stopDelay = after(Math.max(1, left), wait)
      }
      wait()
    },
    read: (question, digest) => {
      const entry = shown(question, digest)
      if (entry === undefined || entry.drawnAt === undefined || entry.isRead) return
      entry.isRead = true
      notify()
    },
    allow: (question, digest) => {
      const entry = shown(question, digest)
      if (entry === undefined) return "other_question"
      if (wall() >= entry.expiresAt) {
        expire([entry])
        return "expired"
      }
      if (entry.drawnAt === undefined) return "not_drawn"
      if (now() - entry.drawnAt < approvalDelayMillis) return "too_soon"
      if (!entry.isRead) return "not_read"
      settle(entry, "approved")
      notify()
      return undefined
    },
    deny: (question, cause) => {
      const entry = find(question)
      if (entry === undefined) return
      settle(entry, "denied", cause)
      notify()
    },
    setLocked: (value) => {
      locked = value
      if (value) denyAll("locked")
    },
    setStopped: (value) => {
      stopped = value
      if (value) denyAll("stopped")
    },
    suspended: () => denyAll("suspended"),
    expireDue: () => expire(entries.filter(({ expiresAt }) => wall() >= expiresAt)),
    crashed: () => denyAll("crashed"),
    agentGone: () => denyAll("agent_gone"),
    current,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}
