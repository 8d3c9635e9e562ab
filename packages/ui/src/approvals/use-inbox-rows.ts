/** The rows of the inbox over their queries: laid out once, then kept in place (`inbox-rows.ts`). */
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { hubClock } from "../hub/hub-time.ts"
import { approvalPages, approvalQuery } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { arrivalsMax, useArrivals } from "../live/arrivals.ts"
import { takeApproval } from "./decision.ts"
import { type InboxFilter, isNarrowed, queryOf } from "./inbox-filter.ts"
import { clearDecided, type InboxRows, isUnderWay, layOut, leave, missing, takeIn, unseen } from "./inbox-rows.ts"
import { useLeaving } from "./use-leaving.ts"

/** If more rows than this disappear at once, the list is laid out again instead of fetching each row. */
const askedOneByOneMax = 24

/** The polling interval for rows with a request in progress. */
const underWayMillis = 2_000

interface Held extends InboxRows {
  /** The filter that produced the rows. */
  readonly of: string
}

const nothing: Held = { rows: [], urgent: new Set(), newest: "", at: 0, of: "" }

/** `filter` must name the person's own workspaces: the hub refuses others. */
export const useInboxRows = (open: string | undefined, filter: InboxFilter) => {
  const queries = useQueryClient()
  const pages = approvalPages(queryOf(filter))
  const name = JSON.stringify(pages.queryKey)
  // A list of another filter may have missed new rows meanwhile.
  const query = useInfiniteQuery({ ...pages, staleTime: 0, placeholderData: keepPreviousData })
  const arrived = useArrivals("approvals.list", null)
  const [held, setHeld] = useState(nothing)
  const grows = useRef(false)
  const { hasNextPage } = query
  const data = query.isPlaceholderData ? undefined : query.data
  const isLaidOut = held.of === name
  const change = (next: (before: InboxRows) => InboxRows) =>
    setHeld((before) => {
      const after = next(before)
      return after === before ? before : { ...after, of: before.of }
    })

  const lay = () => setHeld({ ...layOut(rowsOf(queries.getQueryData(pages.queryKey)), hubClock.now()), of: name })

  useEffect(() => {
    if (data === undefined) return
    const read = rowsOf(data)
    // With no rows on screen, nothing can move.
    if (!isLaidOut || held.rows.length === 0) {
      if (!isLaidOut || layOut(read, hubClock.now()).rows.length > 0) lay()
      return
    }
    const grow = grows.current
    grows.current = false
    const now = hubClock.now()
    change((before) => {
      const taken = takeIn(before, read, grow)
      return grow ? { ...taken, at: now } : taken
    })
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [data, name])

  // The filter may change during a read.
  const asked = useRef(name)
  useEffect(() => {
    asked.current = name
  })

  // An empty list has no bar to press, so new rows are shown at once. Only the hub can decide which of them match a
  // filter.
  const isEmpty = isLaidOut && held.rows.length === 0
  const isFiltered = isNarrowed(filter)
  const arrivedIds = arrived.ids.join(" ")
  useEffect(() => {
    if (arrivedIds === "") return
    if (isEmpty) void arrived.show()
    else if (isFiltered) void queries.invalidateQueries({ queryKey: pages.queryKey, exact: true })
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [arrivedIds, isEmpty, isFiltered, name])

  const gone = data === undefined || !isLaidOut ? [] : missing(held, rowsOf(data), !hasNextPage)
  const goneIds = gone.map(({ id }) => id).join(" ")
  useEffect(() => {
    if (gone.length === 0) return
    if (gone.length > askedOneByOneMax) return lay()
    let isHere = true
    for (const { id, org_id } of gone) {
      void queries.fetchQuery({ ...approvalQuery(org_id, id), staleTime: 0 }).then(async (row) => {
        if (!isHere) return
        await takeApproval(queries, row)
        change((before) => takeIn(before, [row]))
      }, () => {})
    }
    return () => {
      isHere = false
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [goneIds])

  // A decision is reported before its request ends, so rows with a request in progress are polled until it ends.
  const underWay = held.rows.filter(isUnderWay).slice(0, askedOneByOneMax)
  const underWayIds = underWay.map(({ id }) => id).join(" ")
  useEffect(() => {
    if (underWayIds === "") return
    const timer = setInterval(() => {
      for (const { id, org_id } of underWay) {
        void queries.fetchQuery({ ...approvalQuery(org_id, id), staleTime: 0 }).then(
          (row) => change((before) => takeIn(before, [row])),
          () => {}
        )
      }
    }, underWayMillis)
    return () => clearInterval(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [underWayIds])

  // A row that closed automatically after its decision stays, marked, until the selection moves again.
  const keep = useLeaving(open, (ids) => change((before) => ids.reduce(leave, before)))

  return {
    query,
    held,
    newCount: data === undefined || !isLaidOut
      ? 0
      : Math.min(arrivalsMax, unseen(held, rowsOf(data), isFiltered ? [] : arrived.ids)),
    /** Refetches from the top and lays out the result. */
    show: async () => {
      await arrived.show()
      if (asked.current === name) lay()
    },
    more: () => {
      grows.current = true
      void query.fetchNextPage()
    },
    /** The next change of the selection keeps this row although it is decided. */
    keep,
    clearDecided: () => change((before) => clearDecided(before, open))
  }
}
