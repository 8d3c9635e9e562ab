/**
 * What a person at this computer is asked before a command runs, one question at a time. It decides here and not in the window:
 * yes counts only for what was drawn, 1.5 s after it was drawn and when its last line was seen; everything else is a no: Escape,
 * a closed or broken window, a locked screen, sleep, 300 s. The agent reads its rules again after a yes. Spec: D10, D11, D12.
 */
import { consentSeconds } from "@countersign/domain/device-protocol"
import type { OwnerQuestion } from "../../bridge/owner.ts"
import type { AgentQuestion } from "../../device/app-port.ts"
import type { Answer } from "../../device/consent.ts"
import { consentLines } from "./consent-text.ts"

/** Between the drawing of a question and the first yes that counts. */
export const deadMillis = 1_500
/** More are answered no. */
export const questionsMax = 16

/** What the owner's window draws. The focus is on "Deny", always. */
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
  /** Nobody needs an answer any more; nothing is given. */
  readonly withdraw: (question: string) => void
  /** The window has this on the screen. */
  readonly drawn: (question: string, digest: string) => void
  /** The window has shown it down to its last line. */
  readonly read: (question: string, digest: string) => void
  /** None: it is allowed. */
  readonly allow: (question: string, digest: string) => AllowRefusal | undefined
  readonly deny: (question: string, cause: "person" | "escape" | "closed") => void
  /** All that waits, and all that comes while it lasts. */
  readonly setLocked: (locked: boolean) => void
  readonly setStopped: (stopped: boolean) => void
  /** The computer goes to sleep: nobody sits before it. */
  readonly suspended: () => void
  /** Denies what is over by the clock on the wall: timers stand still while a computer sleeps. */
  readonly lapse: () => void
  /** Without a window nobody can be asked: all that waits is denied. */
  readonly crashed: () => void
  /** The agent ended: nobody waits for answers. */
  readonly agentGone: () => void
  readonly current: () => ConsentDrawing | undefined
  readonly subscribe: (listener: (drawing: ConsentDrawing | undefined) => void) => () => void
}

export interface ConsentOptions {
  /** Monotonic, in milliseconds. */
  readonly now: () => number
  /** Of the wall, in milliseconds since 1970. */
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
  stopDead: () => void
}

export const makeConsent = ({ after, log, now, wall = Date.now }: ConsentOptions): Consent => {
  /** The first is shown. */
  let entries: ReadonlyArray<Entry> = []
  let locked = false
  let stopped = false
  const listeners = new Set<(drawing: ConsentDrawing | undefined) => void>()

  const isLive = ({ drawnAt, isRead }: Entry): boolean =>
    isRead && drawnAt !== undefined && now() - drawnAt >= deadMillis
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
  const tell = (): void => {
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
    entry.stopDead()
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
    if (over.length > 0) tell()
  }
  const denyAll = (cause: DenyCause): void => {
    const all = entries
    for (const entry of all) settle(entry, "denied", cause)
    if (all.length > 0) tell()
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
        stopDead: () => {},
        stopTimer: after(consentSeconds * 1_000, () => expire([entry]))
      }
      entries = [...entries, entry]
      tell()
    },
    withdraw: (question) => {
      const entry = find(question)
      if (entry === undefined) return
      leave(entry)
      tell()
    },
    drawn: (question, digest) => {
      // Drawn is what is shown: one that waits behind it is not.
      const entry = shown(question, digest)
      if (entry === undefined || entry.drawnAt !== undefined) return
      const drawnAt = now()
      entry.drawnAt = drawnAt
      // A timer may be a fraction early, and what is told then would stay dead for ever.
      const wait = (): void => {
        const left = deadMillis - (now() - drawnAt)
        if (left <= 0) return tell()
        entry.stopDead = after(Math.max(1, left), wait)
      }
      wait()
    },
    read: (question, digest) => {
      const entry = shown(question, digest)
      if (entry === undefined || entry.drawnAt === undefined || entry.isRead) return
      entry.isRead = true
      tell()
    },
    allow: (question, digest) => {
      const entry = shown(question, digest)
      if (entry === undefined) return "other_question"
      if (wall() >= entry.expiresAt) {
        expire([entry])
        return "expired"
      }
      if (entry.drawnAt === undefined) return "not_drawn"
      if (now() - entry.drawnAt < deadMillis) return "too_soon"
      if (!entry.isRead) return "not_read"
      settle(entry, "approved")
      tell()
      return undefined
    },
    deny: (question, cause) => {
      const entry = find(question)
      if (entry === undefined) return
      settle(entry, "denied", cause)
      tell()
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
    lapse: () => expire(entries.filter(({ expiresAt }) => wall() >= expiresAt)),
    crashed: () => denyAll("crashed"),
    agentGone: () => denyAll("agent_gone"),
    current,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}
