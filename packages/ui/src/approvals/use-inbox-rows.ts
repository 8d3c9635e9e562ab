/** The rows of the inbox over what was read of them: laid out once, then kept in place (`inbox-rows.ts`). */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { hubClock } from "../hub/hub-time.ts"
import { rowsOf } from "../hub/queries.ts"
import { arrivalsMax, useArrivals } from "../live/arrivals.ts"
import { takeApproval } from "./decision.ts"
import { clearDecided, type InboxRows, isUnderWay, layOut, leave, missing, takeIn, unseen } from "./inbox-rows.ts"
import { approvalQuery, waitingPages } from "./queries.ts"

/** More rows than this that went at once are not asked for one by one: the list is laid out anew. */
const askedOneByOneMax = 24

/** How often a row is read whose request is under way. */
const underWayMillis = 2_000

const nothing: InboxRows = { rows: [], urgent: new Set(), newest: "" }

export const useInboxRows = (open: string | undefined) => {
  const queries = useQueryClient()
  const query = useInfiniteQuery(waitingPages)
  const arrived = useArrivals("approvals.list", null)
  const [held, setHeld] = useState(nothing)
  const laidOut = useRef(false)
  const grows = useRef(false)
  const { data, hasNextPage } = query

  const lay = () => {
    laidOut.current = true
    setHeld(layOut(rowsOf(queries.getQueryData(waitingPages.queryKey)), hubClock.now()))
  }

  useEffect(() => {
    if (data === undefined) return
    const read = rowsOf(data)
    // Where nothing is shown, nothing can move.
    if (!laidOut.current || held.rows.length === 0) {
      if (!laidOut.current || layOut(read, hubClock.now()).rows.length > 0) lay()
      return
    }
    const grow = grows.current
    grows.current = false
    setHeld((before) => takeIn(before, read, grow))
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [data])

  // With an empty list there is no bar to press: what comes is shown.
  const isEmpty = laidOut.current && held.rows.length === 0
  useEffect(() => {
    if (isEmpty && arrived.count > 0) void arrived.show()
  }, [arrived, isEmpty])

  const gone = data === undefined ? [] : missing(held, rowsOf(data), !hasNextPage)
  const goneIds = gone.map(({ id }) => id).join(" ")
  useEffect(() => {
    if (gone.length === 0) return
    if (gone.length > askedOneByOneMax) return lay()
    let isHere = true
    for (const { id, org_id } of gone) {
      void queries.fetchQuery({ ...approvalQuery(org_id, id), staleTime: 0 }).then(async (row) => {
        if (!isHere) return
        await takeApproval(queries, row)
        setHeld((before) => takeIn(before, [row]))
      }, () => {})
    }
    return () => {
      isHere = false
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [goneIds])

  // A decision is told before its request ends: rows whose request is under way are read until it has ended.
  const underWay = held.rows.filter(isUnderWay).slice(0, askedOneByOneMax)
  const underWayIds = underWay.map(({ id }) => id).join(" ")
  useEffect(() => {
    if (underWayIds === "") return
    const timer = setInterval(() => {
      for (const { id, org_id } of underWay) {
        void queries.fetchQuery({ ...approvalQuery(org_id, id), staleTime: 0 }).then((row) => setHeld((before) => takeIn(before, [row])), () => {})
      }
    }, underWayMillis)
    return () => clearInterval(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [underWayIds])

  // A row that was left by itself after its decision stays, marked, until the selection moves on once more.
  const last = useRef(open)
  const trail = useRef<string>(undefined)
  const kept = useRef<string>(undefined)
  useEffect(() => {
    const left = last.current
    last.current = open
    if (left === open) return
    const leaving = [trail.current, left].filter((id) => id !== undefined && id !== kept.current && id !== open)
    trail.current = kept.current
    kept.current = undefined
    setHeld((before) => leaving.reduce((rows, id) => leave(rows, id!), before))
  }, [open])

  return {
    query,
    held,
    newCount: data === undefined ? 0 : Math.min(arrivalsMax, unseen(held, rowsOf(data), arrived.ids)),
    /** Reads again from the top and lays out what is there. */
    show: async () => {
      await arrived.show()
      lay()
    },
    more: () => {
      grows.current = true
      void query.fetchNextPage()
    },
    /** The next move of the selection keeps this row, though it is decided. */
    keep: (id: string) => {
      kept.current = id
    },
    clearDecided: () => setHeld((before) => clearDecided(before, open))
  }
}
