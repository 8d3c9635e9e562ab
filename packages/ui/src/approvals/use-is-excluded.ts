/** Whether a filter excludes the open approval. */
import { useEffect, useState } from "react"
import type { ApprovalRow } from "./inbox-rows.ts"

export interface Listing {
  readonly open: string | undefined
  /** The open row if it matches the filter. */
  readonly known: ApprovalRow | undefined
  /** All loaded rows. */
  readonly all: ReadonlyArray<ApprovalRow>
  /** The list was read to its end or beyond the place of the open row. */
  readonly isPast: boolean
  /** Names the filter of `all`; undefined while another one loads. */
  readonly layout: string | undefined
}

/**
 * True for a loaded row that does not match, and for a row that was listed with another filter and is missing from this
 * one's rows. A row that was never listed, such as one from a link, stays open.
 */
export const useIsExcluded = ({ all, isPast, known, layout, open }: Listing): boolean => {
  const [listed, setListed] = useState<{ readonly id: string; readonly layout: string }>()
  const knownId = known?.id as string | undefined
  useEffect(() => {
    if (knownId !== undefined && layout !== undefined) setListed({ id: knownId, layout })
  }, [knownId, layout])
  if (open === undefined || known !== undefined) return false
  if (all.some(({ id }) => id === open)) return true
  return listed?.id === open && layout !== undefined && listed.layout !== layout && isPast
}
