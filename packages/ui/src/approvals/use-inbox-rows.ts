/** The rows of the inbox over their queries: laid out once, then kept in place (`inbox-rows.ts`). */
import { keepPreviousData, QueryObserver, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { hubClock } from "../hub/hub-time.ts"
import { approvalPages, approvalQuery } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { arrivalsMax, useArrivals } from "../live/arrivals.ts"
import { type InboxFilter, isNarrowed, queryOf } from "./inbox-filter.ts"
import { clearDecided, type InboxRows, isUnderWay, layOut, leave, missing, takeIn, unseen } from "./inbox-rows.ts"
import { useLeaving } from "./use-leaving.ts"

/** If more rows than this disappear at once, the list is laid out again instead of fetching each row. */
const askedOneByOneMax = 24

/** The polling interval for rows that left the list, and for those with a request in progress. */
export const watchMillis = 2_000

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
  const areTooMany = gone.length > askedOneByOneMax
  useEffect(() => {
    if (areTooMany) lay()
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [areTooMany])

  // No list has the rows that left it, and a decision is reported before its request ends. Such rows are read again and
  // again, because one read can be older than the decision or be canceled by another.
  const watched = [...areTooMany ? [] : gone, ...held.rows.filter(isUnderWay).slice(0, askedOneByOneMax)]
  const watchedIds = watched.map(({ id }) => id).join(" ")
  useEffect(() => {
    // `useQueries` would be a part of the first load for this alone.
    const stops = watched.map(({ id, org_id }) =>
      new QueryObserver(queries, { ...approvalQuery(org_id, id), staleTime: 0, refetchInterval: watchMillis })
        .subscribe(({ data: row }) => row !== undefined && change((before) => takeIn(before, [row])))
    )
    return () => stops.forEach((stop) => stop())
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [watchedIds])

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
