/**
 * Reads the requests of the inbox and reports them to the screen. Loaded only if there are any, because every kB of the
 * inbox's first load counts.
 */
import { type ComponentType, useEffect, useRef } from "react"
import { hubClock } from "../hub/hub-time.ts"
import { inboxRequestText } from "../text/inbox-requests.ts"
import type { InboxFilter } from "./inbox-filter.ts"
import { isRequestWithin } from "./request-layout.ts"
import { RequestRow, type RequestRowProps } from "./request-row.tsx"
import type { InboxRequest } from "./request-rows.ts"
import { requestTitle } from "./request-words.ts"
import { useAgentNames, useDecidedRequests, useInboxRequests } from "./use-inbox-requests.ts"

export interface InboxRequests {
  /** Open requests, or decided ones, as the screen lists them. */
  readonly rows: ReadonlyArray<InboxRequest>
  readonly urgent: ReadonlySet<string>
  readonly isPending: boolean
  readonly nameOf: (of: InboxRequest) => string | undefined
  /** Whether it matches the filter, with the words of `q`, at the hub's time. */
  readonly isWithin: (of: InboxRequest, filter: InboxFilter) => boolean
  readonly titleOf: (of: InboxRequest) => string
  readonly Row: ComponentType<RequestRowProps>
  /** The next change of the selection keeps this row although it is decided. */
  readonly keep: (id: string) => void
  readonly clearDecided: () => void
  /** Lays the rows out again. */
  readonly lay: () => void
}

export interface InboxRequestsReaderProps {
  readonly open: string | undefined
  readonly isDecided: boolean
  /** Decided requests are read from these. */
  readonly workspaces: ReadonlyArray<string>
  readonly onChange: (requests: InboxRequests) => void
}

const none: ReadonlyArray<string> = []
const noneUrgent: ReadonlySet<string> = new Set()

const InboxRequestsReader = ({ isDecided, onChange, open, workspaces }: InboxRequestsReaderProps): null => {
  const openRequests = useInboxRequests(open)
  const decided = useDecidedRequests(isDecided ? workspaces : none, isDecided)
  const { isPending, rows } = isDecided
    ? decided
    : { rows: openRequests.held.rows, isPending: openRequests.isPending }
  const urgent = isDecided ? noneUrgent : openRequests.held.urgent
  const nameOf = useAgentNames(rows)
  const names = JSON.stringify(rows.map((row) => nameOf(row) ?? null))
  const latest = useRef(openRequests)
  useEffect(() => {
    latest.current = openRequests
  })
  useEffect(() => {
    onChange({
      rows,
      urgent,
      isPending,
      nameOf,
      isWithin: (of, filter) => isRequestWithin(of, filter, hubClock.now(), nameOf(of) ?? ""),
      titleOf: (of) => requestTitle(of, nameOf(of), inboxRequestText),
      Row: RequestRow,
      keep: (id) => latest.current.keep(id),
      clearDecided: () => latest.current.clearDecided(),
      lay: () => latest.current.lay()
    })
    // `nameOf` changes with every render, `names` with its results.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isPending, names, onChange, rows, urgent])
  return null
}

export default InboxRequestsReader
