/**
 * What waits on one hub, over all workspaces of the person: a list read whenever the stream opens, then what the stream tells. It
 * decides what is to be read and does not read. A decision shows when the hub has said so, never before; an approval that was
 * decided never waits again, so that a list or a row that was read too early cannot bring it back.
 */
import type { HubEvent } from "@countersign/domain/events"
import type { HubNews, HubState } from "../hub/port.ts"
import type { WaitingRow } from "./row.ts"

/** More are not held; the count says "or more". */
export const rowsMax = 2_000
/** More rows to be read than this: the list is read instead. */
const readsMax = 24

/** `generation` tells readings apart that a new list has made worthless. */
export type Want =
  /** `failures` in a row: a pause comes first. */
  | { readonly kind: "list"; readonly generation: number; readonly failures: number }
  | { readonly kind: "read"; readonly generation: number; readonly id: string; readonly workspace: string | undefined }

export type Heard =
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
  /** No row: it does not wait, or cannot be seen. */
  | { readonly kind: "read"; readonly generation: number; readonly id: string; readonly row: WaitingRow | undefined }
  | { readonly kind: "read_failed"; readonly generation: number; readonly id: string }

/**
 * `current`: as the hub says it now. `last_known`: as it said it before it was lost. `unknown`: it never said, or whoever it was
 * for is signed out.
 */
export type Standing = "current" | "last_known" | "unknown"

export interface HubWaitingView {
  readonly state: HubState
  readonly standing: Standing
  /** Oldest first. */
  readonly rows: ReadonlyArray<WaitingRow>
  /** There are others beyond `rows`. */
  readonly more: boolean
  /** Why the hub, which is connected, does not tell what waits: the code of the last of its lists that failed. */
  readonly problem?: string
}

export interface HubWaiting {
  /** What is to be done because of it. */
  readonly hear: (heard: Heard) => ReadonlyArray<Want>
  readonly view: () => HubWaitingView
}

export const makeHubWaiting = (begin: HubState): HubWaiting => {
  let state = begin
  let generation = 0
  let rows = new Map<string, WaitingRow>()
  let more = false
  /** The hub said at least once what waits. */
  let known = false
  /** `rows` rests on a list since which nothing was missed: where the stream only moved, they hold until the next list says otherwise. */
  let listed = false
  let listing = false
  let failures = 0
  let problem: string | undefined
  /** Decided, expired or cancelled since the current list was begun. */
  let gone = new Set<string>()
  /** Read by themselves since the current list was begun: they are newer than it. */
  let newer = new Map<string, WaitingRow>()
  /** Being read; true: an event came meanwhile, and it is read again. */
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

  const hearEvent = (event: HubEvent): ReadonlyArray<Want> => {
    if (event.subject.type !== "approval") return []
    switch (event.type) {
      case "approval.decided":
      case "approval.expired":
        return leave(event.subject.id)
      case "approval.created":
      case "approval.updated":
        return readOne(event)
      default:
        return []
    }
  }

  const hearState = (next: HubState): ReadonlyArray<Want> => {
    state = next
    if (next.phase === "signed_out") forget()
    if (next.phase === "connected") return listed || listing ? [] : readAll()
    // What is under way began before the loss: it says nothing of what comes after.
    generation++
    problem = undefined
    listed = false
    listing = false
    return []
  }

  return {
    hear: (heard) => {
      switch (heard.kind) {
        case "open":
        case "reset":
          return readAll()
        case "event":
          return hearEvent(heard.event)
        case "state":
          return hearState(heard.state)
        case "listed": {
          if (heard.generation !== generation) return []
          const told = [...heard.rows.map((row) => [row.id, row] as const), ...newer]
          rows = new Map(told.filter(([id]) => !gone.has(id)).slice(0, rowsMax))
          more = heard.more || heard.rows.length > rowsMax
          known = listed = true
          listing = false
          problem = undefined
          return []
        }
        case "list_failed":
          if (heard.generation !== generation) return []
          listed = false
          problem = heard.code
          return [{ kind: "list", generation, failures: ++failures }]
        case "read":
        case "read_failed": {
          if (heard.generation !== generation) return []
          const again = reading.get(heard.id) === true
          reading.delete(heard.id)
          // What cannot be read alone is read with all.
          if (heard.kind === "read_failed") return readAll()
          if (heard.row === undefined) return leave(heard.id)
          if (gone.has(heard.id)) return []
          rows.set(heard.id, heard.row)
          newer.set(heard.id, heard.row)
          if (!again) return []
          reading.set(heard.id, false)
          return [{ kind: "read", generation, id: heard.id, workspace: heard.row.workspace }]
        }
      }
    },
    view: () => ({
      state,
      standing: !known ? "unknown" : listed && state.phase === "connected" ? "current" : "last_known",
      rows: [...rows.values()].sort((a, b) => a.requestedAt - b.requestedAt || (a.id < b.id ? -1 : 1)),
      more,
      ...problem === undefined ? {} : { problem }
    })
  }
}
