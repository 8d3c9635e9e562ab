/**
 * The pending approvals, agent requests, and budget requests of one hub, over all workspaces of the person: a list that
 * is read whenever the stream opens, updated by the stream's events. This module decides which reads are needed and does
 * not perform them. A decision is shown only after the hub reported it; a decided row never becomes pending again, so
 * that an outdated list or row cannot bring it back.
 */
import type { HubEvent } from "@countersign/domain/events"
import type { HubState } from "../../bridge/hub-state.ts"
import type { HubNews } from "../hub/port.ts"
import type { WaitingRow } from "./row.ts"

/** Further rows are dropped; the count then shows "or more". */
export const rowsMax = 2_000
/** If more single reads are pending, the list is read instead. */
const readsMax = 24
const subjects: ReadonlySet<string> = new Set(["approval", "agent_request", "budget_request"])

/** `generation` identifies reads that a newer list has made obsolete. */
export type Want =
  /** `failures` in a row; each failed read is followed by a pause. */
  | { readonly kind: "list"; readonly generation: number; readonly failures: number }
  | { readonly kind: "read"; readonly generation: number; readonly id: string; readonly workspace: string | undefined }

export type WaitingUpdate =
  | HubNews
  | { readonly kind: "state"; readonly state: HubState }
  | {
    readonly kind: "listed"
    readonly generation: number
    readonly rows: ReadonlyArray<WaitingRow>
    readonly more: boolean
  }
  /** `code` of the error. */
  | { readonly kind: "list_failed"; readonly generation: number; readonly code: string }
  /** Undefined row: it is not pending, or not visible. */
  | { readonly kind: "read"; readonly generation: number; readonly id: string; readonly row: WaitingRow | undefined }
  | { readonly kind: "read_failed"; readonly generation: number; readonly id: string }

/**
 * `current`: the hub's present state. `last_known`: the state before the hub was lost. `unknown`: no state was
 * received, or the person signed out.
 */
export type Freshness = "current" | "last_known" | "unknown"

export interface HubWaitingView {
  readonly state: HubState
  readonly freshness: Freshness
  /** Oldest first. */
  readonly rows: ReadonlyArray<WaitingRow>
  /** The hub has further pending approvals or requests beyond `rows`. */
  readonly more: boolean
  /** Why the rows of a connected hub are unknown: the error code of its last failed list. */
  readonly problem?: string
}

export interface HubWaiting {
  /** Returns the reads that the input requires. */
  readonly apply: (update: WaitingUpdate) => ReadonlyArray<Want>
  readonly view: () => HubWaitingView
}

export const makeHubWaiting = (begin: HubState): HubWaiting => {
  let state = begin
  let generation = 0
  let rows = new Map<string, WaitingRow>()
  let more = false
  /** At least one list was received. */
  let known = false
  /**
   * `rows` comes from a list without missed events since then; if the stream only reconnects, the rows are valid until
   * the next list.
   */
  let listed = false
  let listing = false
  let failures = 0
  let problem: string | undefined
  /** Decided, expired, or canceled since the current list began. */
  let gone = new Set<string>()
  /** Read separately since the current list began, so they are newer than the list. */
  let newer = new Map<string, WaitingRow>()
  /** Reads in progress; true: an event arrived in the meantime, so the row is read again. */
  let reading = new Map<string, boolean>()

  const readAll = (): ReadonlyArray<Want> => {
    generation++
    listing = true
    failures = 0
    gone = new Set()
    newer = new Map()
    reading = new Map()
    return [{ kind: "list", generation, failures }]
  }

  const forget = (): void => {
    rows = new Map()
    more = false
    known = false
  }

  const leave = (id: string): ReadonlyArray<Want> => {
    gone.add(id)
    newer.delete(id)
    rows.delete(id)
    return more && !listing && rows.size < rowsMax / 2 ? readAll() : []
  }

  const readOne = ({ subject: { id }, workspace }: HubEvent): ReadonlyArray<Want> => {
    if (gone.has(id)) return []
    if (reading.has(id)) {
      reading.set(id, true)
      return []
    }
    if (!rows.has(id) && rows.size >= rowsMax) {
      more = true
      return []
    }
    if (reading.size >= readsMax) return readAll()
    reading.set(id, false)
    return [{ kind: "read", generation, id, workspace }]
  }

  const applyEvent = (event: HubEvent): ReadonlyArray<Want> => {
    if (!subjects.has(event.subject.type)) return []
    switch (event.type) {
      case "approval.decided":
      case "approval.expired":
        return leave(event.subject.id)
      case "approval.created":
      case "approval.updated":
      case "agent_request.created":
      // The event of a request does not contain its status.
      case "agent_request.updated":
      case "budget_request.updated":
        return readOne(event)
      default:
        return []
    }
  }

  const applyState = (next: HubState): ReadonlyArray<Want> => {
    state = next
    if (next.phase === "signed_out") forget()
    if (next.phase === "connected") return listed || listing ? [] : readAll()
    // Reads in progress began before the loss, so their results are outdated.
    generation++
    problem = undefined
    listed = false
    listing = false
    return []
  }

  return {
    apply: (update) => {
      switch (update.kind) {
        case "open":
        case "reset":
          return readAll()
        case "event":
          return applyEvent(update.event)
        case "state":
          return applyState(update.state)
        case "listed": {
          if (update.generation !== generation) return []
          const entries = [...update.rows.map((row) => [row.id, row] as const), ...newer]
          rows = new Map(entries.filter(([id]) => !gone.has(id)).slice(0, rowsMax))
          more = update.more || update.rows.length > rowsMax
          known = listed = true
          listing = false
          problem = undefined
          return []
        }
        case "list_failed":
          if (update.generation !== generation) return []
          listed = false
          problem = update.code
          return [{ kind: "list", generation, failures: ++failures }]
        case "read":
        case "read_failed": {
          if (update.generation !== generation) return []
          const again = reading.get(update.id) === true
          reading.delete(update.id)
          // After a failed single read the list is read.
          if (update.kind === "read_failed") return readAll()
          if (update.row === undefined) return leave(update.id)
          if (gone.has(update.id)) return []
          rows.set(update.id, update.row)
          newer.set(update.id, update.row)
          if (!again) return []
          reading.set(update.id, false)
          return [{ kind: "read", generation, id: update.id, workspace: update.row.workspace }]
        }
      }
    },
    view: () => ({
      state,
      freshness: !known ? "unknown" : listed && state.phase === "connected" ? "current" : "last_known",
      rows: [...rows.values()].sort((a, b) => a.requestedAt - b.requestedAt || (a.id < b.id ? -1 : 1)),
      more,
      ...problem === undefined ? {} : { problem }
    })
  }
}
