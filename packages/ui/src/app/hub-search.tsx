/** The hub's search results for the text in the palette. */
import type { Output } from "@countersign/hub-client/contract"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Inbox, ScrollText, UserRound, Users, Workflow, Wrench } from "lucide-react"
import { type ReactNode, useEffect, useState } from "react"
import { searchQuery } from "../hub/queries.ts"

type Result = Output<"search.find">["data"][number]

const restMillis = 150
/** Shorter queries match too much. */
const lengthMin = 2

const none: ReadonlyArray<Result> = []

export const resultIcons: Readonly<Record<Result["type"], ReactNode>> = {
  agent: <Users />,
  service: <Wrench />,
  service_request: <ScrollText />,
  approval: <Inbox />,
  person: <UserRound />,
  workflow: <Workflow />
}

export interface HubSearch {
  readonly results: ReadonlyArray<Result>
  /** Whether the results are for the current text; otherwise they are for an earlier one. */
  readonly isCurrent: boolean
  readonly isSearching: boolean
}

/** Debounces typing and cancels outdated searches. An error yields no results. */
export const useHubSearch = (workspace: string, text: string): HubSearch => {
  const typed = text.trim()
  const [sought, setSought] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => setSought(typed), restMillis)
    return () => clearTimeout(timer)
  }, [typed])
  const enabled = typed.length >= lengthMin && sought.length >= lengthMin
  const { data, isFetching, isPlaceholderData } = useQuery({
    ...searchQuery(workspace, sought),
    enabled,
    placeholderData: keepPreviousData
  })
  return {
    results: enabled ? data?.data ?? none : none,
    isCurrent: typed === sought && !isPlaceholderData,
    isSearching: typed.length >= lengthMin && (typed !== sought || isFetching)
  }
}
