/** The rows of the inbox over what was read of them: laid out once, then kept in place (`inbox-rows.ts`). */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { hubClock } from "../hub/hub-time.ts"
import { rowsOf } from "../hub/queries.ts"
import { useArrivals } from "../live/arrivals.ts"
import { takeApproval } from "./decision.ts"
import { clearDecided, type InboxRows, layOut, leave, missing, takeIn, unseen } from "./inbox-rows.ts"
import { approvalQuery, waitingPages } from "./queries.ts"

/** More rows than this that went at once are not asked for one by one: the list is laid out anew. */
const askedOneByOneMax = 24

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

  const last = useRef(open)
  useEffect(() => {
    const left = last.current
    last.current = open
    if (left !== undefined && left !== open) setHeld((before) => leave(before, left))
  }, [open])

  return {
    query,
    held,
    newCount: data === undefined ? 0 : arrived.count + unseen(held, rowsOf(data)),
    /** Reads again from the top and lays out what is there. */
    show: async () => {
      await arrived.show()
      lay()
    },
    more: () => {
      grows.current = true
      void query.fetchNextPage()
    },
    clearDecided: () => setHeld((before) => clearDecided(before, open))
  }
}
