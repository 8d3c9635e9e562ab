/** Home: pending approvals and requests of all workspaces of the person. The address has the id of the open row. */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useRouter, useRouterState, useSearch } from "@tanstack/react-router"
import { Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { useKey, useKeyCaps } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { PendingOverlay } from "../app/pending-overlay.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId, useWorkspaces } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Kbd } from "../components/kbd.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import {
  agentRequestQuery,
  approvalPages,
  approvalQuery,
  budgetRequestQuery,
  pendingCountQuery
} from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { SplitView } from "../patterns/split-view.tsx"
import { approvalText as t } from "../text/approvals.ts"
import { ApprovalDetail } from "./approval-detail.tsx"
import { useAutoAdvance } from "./auto-advance.ts"
import { InboxFilterLine } from "./inbox-filter-line.tsx"
import { decidedQuery, decodeFilter, isNarrowed, isWithin, showsApprovals } from "./inbox-filter.ts"
import { foldOf, linesOf, nextPending, plainLines, stepFrom, walkOf } from "./inbox-lines.ts"
import { InboxList } from "./inbox-list.tsx"
import type { InboxRequests } from "./inbox-requests.tsx"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import styles from "./inbox-screen.module.css"
import { changed, closing, type InboxChange, opening, unfiltered } from "./inbox-search.ts"
import { type InboxPlace, type InboxRequest, isOpenRequest, requestType } from "./request-rows.ts"
import { SecondConfirmationSetting } from "./second-confirmation-setting.tsx"
import { SpokenArrivals, SpokenDecision } from "./spoken.tsx"
import { useInboxRows } from "./use-inbox-rows.ts"
import { isCall, isUnexecuted, operationOf } from "./words.ts"

// Not part of the first load of an inbox with an open row.
const InboxEmpty = lazyPart(() => import("./inbox-empty.tsx"))
const InboxRequestsReader = lazyPart(() => import("./inbox-requests.tsx"))
const RequestDetail = lazyPart(() => import("./request-detail.tsx"))
const BatchDialog = lazyPart(() => import("./batch-dialog.tsx"))

/** The next approval opens after this time at the latest, even if its figures are still loading. */
const readNextMillisMax = 600

/** Rows of 64 px that fit beside a detail. */
const pageRows = 10

const noneUrgent: ReadonlySet<string> = new Set()
const noRows: ReadonlyArray<ApprovalRow> = []
const noRequestRows: ReadonlyArray<InboxRequest> = []

/** Decided requests are read from at most this many workspaces. */
const workspacesMax = 20

const agentChoicesOf = (requests: InboxRequests | undefined) =>
  [
    ...new Map(
      requests?.rows.map((each) => [each.request.agent_id as string, requests.nameOf(each) ?? each.request.agent_id])
    )
  ].map(([value, text]) => ({ value, text }))

export const InboxScreen = () => {
  const queries = useQueryClient()
  const home = useWorkspaceId()
  const workspaces = useWorkspaces()
  const search = useSearch({ from: "/w/$workspace/inbox" })
  const navigate = useNavigate({ from: "/w/$workspace/inbox" })
  const { of = home, open, view = "form" } = search
  const isWide = useWide()
  const isDetailAlone = open !== undefined && !isWide
  const isDecided = search.show === "decided"
  const go = (change: InboxChange, replace = true) => void navigate({ search: changed(change), replace })
  const router = useRouter()
  // The person chose another screen, which is loading. A rendered value can lag behind this choice.
  const isLeaving = () => router.latestLocation.pathname !== `/w/${home}/inbox`
  const { filter, ignored } = decodeFilter(search, workspaces)

  const { kind: _kind, ...approvalFilter } = filter
  const hasApprovals = showsApprovals(filter)
  const pendingList = useInboxRows(open, approvalFilter)
  const [inboxRequests, setInboxRequests] = useState<InboxRequests>()
  const counts = useQuery(pendingCountQuery)
  const hasRequests = isDecided || inboxRequests !== undefined || requestType(open) !== undefined ||
    counts.data !== undefined && counts.data.agent_requests + counts.data.budget_requests > 0
  const areRequestsPending = counts.isPending || hasRequests && inboxRequests?.isPending !== false
  const decidedList = approvalPages(decidedQuery(filter, search.sort))
  const decided = useInfiniteQuery({ ...decidedList, enabled: isDecided, placeholderData: keepPreviousData })
  const reading = isDecided ? decided : pendingList.query

  const all = isDecided ? rowsOf(decided.data) : pendingList.held.rows
  const readAt = isDecided ? decided.dataUpdatedAt : pendingList.held.at
  const rows = hasApprovals ? all.filter((row) => isWithin(row, filter, readAt)) : noRows
  const allRequests = inboxRequests?.rows ?? noRequestRows
  const requests = allRequests.filter((each) => inboxRequests?.isWithin(each, filter))
  const hasMore = hasApprovals && reading.hasNextPage
  const [opened, setOpened] = useState<ReadonlySet<string>>(noneUrgent)
  const urgent = isDecided ? noneUrgent : new Set([...pendingList.held.urgent, ...inboxRequests?.urgent ?? []])
  const lines = linesOf({ rows, urgent, requests: isDecided ? [] : requests }, opened, open)
  const shownLines = isDecided ? plainLines(rows, requests, { sort: search.sort, hasMore }) : lines
  const walk = walkOf(shownLines)
  const known = rows.find(({ id }) => id === open)
  const knownRequest = allRequests.find(({ id }) => id === open)

  const openRow = (row: InboxPlace, replace = true) => go(opening(row, home), replace)
  const openFold = (key: string | undefined) => {
    if (key !== undefined) setOpened((before) => before.has(key) ? before : new Set([...before, key]))
  }

  // A fold that was entered stays open when the selection leaves it, so that nothing under the pointer moves.
  const entered = open === undefined || isDecided ? undefined : foldOf(lines, open)
  useEffect(() => openFold(entered), [entered])

  // Open the first row once, so that the detail beside the list is not empty.
  const isFirst = useRef(true)
  const isSettled = useRouterState({ select: ({ status }) => status === "idle" })
  const first = walk[0]
  useEffect(() => {
    if (!isFirst.current || first === undefined || !isSettled || areRequestsPending || isLeaving()) return
    isFirst.current = false
    if (open === undefined && isWide) openRow(first)
  })

  // If a filter excludes the open row, the first match replaces it.
  const isExcludedRequest = knownRequest !== undefined && !requests.includes(knownRequest)
  const isExcludedApproval = useIsExcluded({
    open,
    known,
    all,
    isPast: !reading.hasNextPage ||
      open !== undefined && all.some(({ id }) => isDecided ? search.sort === undefined && id < open : id > open),
    layout: !isDecided
      ? pendingList.held.of
      : decided.isPlaceholderData
      ? undefined
      : JSON.stringify(decidedList.queryKey)
  })
  const isExcluded = isExcludedRequest || isExcludedApproval
  useEffect(() => {
    if (!isExcluded || isLeaving()) return
    if (first !== undefined && isWide) openRow(first)
    else go(closing)
    // Runs once, when the filter starts to exclude the row.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isExcluded])

  const beside = `${pendingList.newCount} ${allRequests.filter(isOpenRequest).length}`
  const list = useRef<HTMLDivElement>(null)
  const openAndFocus = (next: InboxPlace) => {
    openFold(foldOf(shownLines, next.id))
    openRow(next)
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-row="${next.id}"] a`)?.focus())
  }
  const step = (by: number) => {
    const next = stepFrom(walk, open, by)
    if (next !== undefined) openAndFocus(next)
  }

  // The next pending approval opens with limits read after the decision.
  const advances = useAutoAdvance()
  const [spoken, setSpoken] = useState<ApprovalRow>()
  const now = useRef({ open, lines: shownLines })
  useEffect(() => {
    now.current = { open, lines: shownLines }
  })
  const advance = async (decided: InboxPlace, approval?: ApprovalRow) => {
    const next = approval !== undefined && isUnexecuted(approval)
      ? undefined
      : nextPending(now.current.lines, decided.id)
    if (next === undefined) return
    const type = requestType(next.id)
    const read = type === "agent_request"
      ? queries.prefetchQuery({ ...agentRequestQuery(next.org_id, next.id), staleTime: 0 })
      : type === "budget_request"
      ? queries.prefetchQuery({ ...budgetRequestQuery(next.org_id, next.id), staleTime: 0 })
      : queries.prefetchQuery({ ...approvalQuery(next.org_id, next.id), staleTime: 0 })
    await Promise.race([read, new Promise((resolve) => setTimeout(resolve, readNextMillisMax))])
    if (now.current.open !== decided.id || isLeaving()) return
    pendingList.keep(decided.id)
    inboxRequests?.keep(decided.id)
    setSpoken(approval)
    openAndFocus(next)
  }
  useKey("list.next", () => step(1))
  useKey("list.previous", () => step(-1))
  useKey("list.pageNext", () => step(pageRows))
  useKey("list.pagePrevious", () => step(-pageRows))
  useKey("list.open", () => document.querySelector<HTMLElement>("[data-detail-title]")?.focus(), {
    when: open !== undefined
  })
  useKey("everywhere.back", () => go(closing), { when: open !== undefined })
  useKey("list.news", () => void showNews(), { when: !isDecided && pendingList.newCount > 0 })

  const [selected, setSelected] = useState<ReadonlySet<string>>(noneUrgent)
  const [isDeciding, setDeciding] = useState(false)
  // A batch contains no hidden rows.
  const chosen = isDecided ? [] : rows.filter(({ id }) => selected.has(id))
  const toggle = (ids: ReadonlyArray<string>, on?: boolean) =>
    setSelected((before) => {
      const next = new Set(before)
      for (const id of ids) {
        if (on ?? !before.has(id)) next.add(id)
        else next.delete(id)
      }
      return next
    })
  useKey("list.select", () => open !== undefined && toggle([open]), {
    when: !isDecided && known !== undefined && isCall(known)
  })
  useKey("decide.batch", () => setDeciding(true), { when: !isDecided && chosen.some(isPending) })

  const showNews = async () => {
    await pendingList.show()
    inboxRequests?.lay()
    setOpened(noneUrgent)
    list.current?.scrollTo({ top: 0 })
  }

  // A page of a search may be empty although further pages follow.
  const more = isDecided ? () => void decided.fetchNextPage() : pendingList.more
  const isLooking = hasApprovals && all.length === 0 && reading.hasNextPage && !reading.isFetching
  useEffect(() => {
    if (isLooking) more()
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isLooking])

  const title = !isDetailAlone
    ? t.inbox
    : knownRequest !== undefined
    ? inboxRequests?.titleOf(knownRequest) ?? t.detail
    : known === undefined
    ? t.detail
    : t.title(known.agent.name, operationOf(known))
  const isFiltered = isNarrowed(filter)

  return (
    <Page
      title={title}
      guide="approvals"
      path={isDetailAlone
        ? <Link quiet from="/w/$workspace/inbox" to="." search={changed(closing)}>{t.inbox}</Link>
        : undefined}
      busy={reading.isFetching}
      layout="flush"
      action={<SecondConfirmationSetting />}
      filters={isDetailAlone ? undefined : (
        <InboxFilterLine
          search={search}
          filter={filter}
          ignored={ignored}
          rows={all}
          agents={agentChoicesOf(inboxRequests)}
          change={go}
          open={(next) => void navigate({ search: next })}
        />
      )}
    >
      <SplitView
        showing={open === undefined ? "list" : "detail"}
        listLabel={t.list}
        detailLabel={t.detail}
        detailId={open}
        list={
          <div ref={list} className={`flex flex-col ${styles.list}`}>
            <ScreenState
              query={reading}
              isEmpty={shownLines.length === 0 && !hasMore && !areRequestsPending &&
                (isDecided || pendingList.held.of !== "")}
              empty={isFiltered
                ? {
                  text: t.empty.match,
                  action: <Button onClick={() => go(unfiltered)}>{t.empty.clear}</Button>
                }
                : {
                  text: isDecided ? t.empty.decided : t.empty.waiting,
                  detail: isDecided ? undefined : (
                    <Suspense>
                      <InboxEmpty />
                    </Suspense>
                  )
                }}
            >
              <InboxList
                lines={shownLines}
                open={open}
                home={home}
                workspaces={workspaces.length > 1 ? workspaces : []}
                selected={selected}
                onSelect={toggle}
                onFold={(key, isOpen) =>
                  setOpened((before) =>
                    new Set([...[...before].filter((each) => each !== key), ...isOpen ? [key] : []])
                  )}
                canSelect={!isDecided}
                newCount={isDecided ? 0 : pendingList.newCount}
                onNew={() => void showNews()}
                onClearDecided={() => {
                  pendingList.clearDecided()
                  inboxRequests?.clearDecided()
                }}
                inboxRequests={inboxRequests}
                hasMore={hasMore}
                isMore={reading.isFetchingNextPage}
                onMore={more}
                chosen={chosen}
                onDecide={() => setDeciding(true)}
              />
            </ScreenState>
            {!isDecided && <SpokenArrivals count={pendingList.newCount} />}
            <SpokenDecision decided={spoken} />
          </div>
        }
        detail={open === undefined
          ? <NothingOpen />
          : requestType(open) !== undefined
          ? (
            <Suspense>
              <RequestDetail
                key={open}
                org={knownRequest?.org_id ?? of}
                id={open}
                known={knownRequest}
                onDecidedByKey={advances && !isDecided
                  ? () => void advance({ id: open, org_id: knownRequest?.org_id ?? of })
                  : undefined}
                beside={beside}
              />
            </Suspense>
          )
          : (
            <ApprovalDetail
              key={open}
              org={known?.org_id ?? of}
              id={open}
              known={known}
              view={view}
              onView={(next) => go({ view: next === "form" ? undefined : next })}
              onOpen={(id) => {
                openRow({ id: id as ApprovalRow["id"], org_id: known?.org_id ?? of })
                void showNews()
              }}
              ownLink={() =>
                void navigate({
                  to: "/w/$workspace/approvals/$id",
                  params: { workspace: known?.org_id ?? of, id: open },
                  search: view === "form" ? {} : { view }
                })}
              onDecidedByKey={advances && !isDecided ? (decided) => void advance(decided, decided) : undefined}
              beside={beside}
            />
          )}
      />
      {hasRequests && (
        <Suspense>
          <InboxRequestsReader
            open={open}
            isDecided={isDecided}
            workspaces={workspaces.map(({ id }) => id).slice(0, workspacesMax)}
            onChange={setInboxRequests}
          />
        </Suspense>
      )}
      <Suspense fallback={<PendingOverlay onCancel={() => setDeciding(false)} />}>
        {isDeciding && (
          <BatchDialog
            rows={chosen}
            workspaces={workspaces}
            onClose={() => setDeciding(false)}
            onDone={(decidedIds) => toggle(decidedIds, false)}
          />
        )}
      </Suspense>
    </Page>
  )
}

const query = "(min-width: 1081px)"

const subscribe = (listener: () => void) => {
  const media = matchMedia(query)
  media.addEventListener("change", listener)
  return () => media.removeEventListener("change", listener)
}

/** Whether list and detail are side by side, as in `SplitView`; otherwise they are two pages. */
const useWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(query).matches)

/* Whether a filter excludes the open approval. */

interface Listing {
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
const useIsExcluded = ({ all, isPast, known, layout, open }: Listing): boolean => {
  const [listed, setListed] = useState<{ readonly id: string; readonly layout: string }>()
  const knownId = known?.id as string | undefined
  useEffect(() => {
    if (knownId !== undefined && layout !== undefined) setListed({ id: knownId, layout })
  }, [knownId, layout])
  if (open === undefined || known !== undefined) return false
  if (all.some(({ id }) => id === open)) return true
  return listed?.id === open && layout !== undefined && listed.layout !== layout && isPast
}

/** Beside the list while no row is open: the shortcuts for navigation and decisions. */
const NothingOpen = () => {
  const words = t.none
  const next = useKeyCaps("list.next")
  const previous = useKeyCaps("list.previous")
  const keys = [
    ["next", next === undefined || previous === undefined ? undefined : [...next, ...previous]],
    ["approve", useKeyCaps("decide.approve")],
    ["reject", useKeyCaps("decide.reject")],
    ["edit", useKeyCaps("decide.edit")],
    ["select", useKeyCaps("list.select")],
    ["batch", useKeyCaps("decide.batch")]
  ] as const
  return (
    <div className={`grid justify-items-center gap-16 type-body text-2 ${styles.nothing}`}>
      <h2>{words.pick}</h2>
      <p>{words.pickHow}</p>
      <dl>
        {keys.map(([name, caps]) =>
          caps !== undefined && (
            <div key={name} style={{ display: "contents" }}>
              <dt>
                <Kbd keys={caps} />
              </dt>
              <dd>{words.keys[name]}</dd>
            </div>
          )
        )}
      </dl>
    </div>
  )
}
