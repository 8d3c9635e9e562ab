/** Home: pending approvals of every workspace that the person belongs to. The address names the open row by its id. */
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router"
import { Suspense, useEffect, useRef, useState } from "react"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { PendingOverlay } from "../app/pending-overlay.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId, useWorkspaces } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import { rowsOf } from "../hub/queries.ts"
import { SplitView } from "../patterns/split-view.tsx"
import { approvalText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"
import { ApprovalDetail } from "./approval-detail.tsx"
import { useAutoAdvance } from "./auto-advance.ts"
import { InboxEmpty } from "./inbox-empty.tsx"
import { InboxFilterLine } from "./inbox-filter-line.tsx"
import { filterOf, isNarrowed, isWithin } from "./inbox-filter.ts"
import { foldOf, linesOf, matches, nextPending, plainLines, stepFrom, walkOf } from "./inbox-lines.ts"
import { InboxList } from "./inbox-list.tsx"
import { type ApprovalRow, isWaiting } from "./inbox-rows.ts"
import styles from "./inbox-screen.module.css"
import { changed, closing, type InboxChange, opening, unfiltered } from "./inbox-search.ts"
import { NothingOpen } from "./nothing-open.tsx"
import { approvalQuery, decidedPages } from "./queries.ts"
import { SecondPressSetting } from "./second-press-setting.tsx"
import { SpokenArrivals, SpokenDecision } from "./spoken.tsx"
import { useInboxRows } from "./use-inbox-rows.ts"
import { useWide } from "./use-wide.ts"
import { isCommand, isUnexecuted, operationOf } from "./words.ts"

const BatchDialog = lazyPart(() => import("./batch-dialog.tsx"))

/** The next approval opens after so long, whether its figures were read or not. */
const readNextMillisMax = 600

const noneUrgent: ReadonlySet<string> = new Set()

export const InboxScreen = () => {
  const t = useText(approvalText)
  const queries = useQueryClient()
  const home = useWorkspaceId()
  const workspaces = useWorkspaces()
  const search = useSearch({ from: "/w/$workspace/inbox" })
  const navigate = useNavigate({ from: "/w/$workspace/inbox" })
  const { of = home, open, q = "", view = "form" } = search
  const isWide = useWide()
  const isDetailAlone = open !== undefined && !isWide
  const isDecided = search.show === "decided"
  const go = (change: InboxChange, replace = true) => void navigate({ search: changed(change), replace })
  const filter = filterOf(search)
  // The hub refuses a workspace that is not the person's; `isWithin` finds nothing for it.
  const { workspace: _, ...everywhere } = filter
  const asked = workspaces.some(({ id }) => id === filter.workspace) ? filter : everywhere

  const waiting = useInboxRows(open, asked)
  const decided = useInfiniteQuery({
    ...decidedPages(asked, search.sort),
    enabled: isDecided,
    placeholderData: keepPreviousData
  })
  const reading = isDecided ? decided : waiting.query

  const all = isDecided ? rowsOf(decided.data) : waiting.held.rows
  const readAt = isDecided ? decided.dataUpdatedAt : waiting.held.at
  const rows = all.filter((row) => matches(row, q) && isWithin(row, filter, readAt))
  const [opened, setOpened] = useState<ReadonlySet<string>>(noneUrgent)
  const lines = linesOf({ rows, urgent: isDecided ? noneUrgent : waiting.held.urgent }, opened, open)
  const shownLines = isDecided ? plainLines(rows) : lines
  const walk = walkOf(shownLines)
  const known = rows.find(({ id }) => id === open)

  const openRow = (row: Pick<ApprovalRow, "id" | "org_id">, replace = true) => go(opening(row, home), replace)
  const openFold = (key: string | undefined) => {
    if (key !== undefined) setOpened((before) => before.has(key) ? before : new Set([...before, key]))
  }

  // A fold that was entered stays open when the selection leaves it: what is under the pointer does not move.
  const entered = open === undefined || isDecided ? undefined : foldOf(lines, open)
  useEffect(() => openFold(entered), [entered])

  // Beside the list there is always something to look at: the first row, once.
  const isFirst = useRef(true)
  const isSettled = useRouterState({ select: ({ status }) => status === "idle" })
  const first = walk[0]
  useEffect(() => {
    if (!isFirst.current || first === undefined || !isSettled) return
    isFirst.current = false
    if (open === undefined && isWide) openRow(first)
  })

  // What a filter leaves out does not stay open beside the list: the first match takes its place.
  const isExcluded = open !== undefined && known === undefined && all.some(({ id }) => id === open)
  useEffect(() => {
    if (!isExcluded) return
    if (first !== undefined && isWide) openRow(first)
    else go(closing)
    // Once, when the filter begins to leave it out.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isExcluded])

  const list = useRef<HTMLDivElement>(null)
  const openAndFocus = (next: ApprovalRow) => {
    openFold(foldOf(shownLines, next.id))
    openRow(next)
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-row="${next.id}"] a`)?.focus())
  }
  const step = (by: 1 | -1) => {
    const next = stepFrom(walk, open, by)
    if (next !== undefined) openAndFocus(next)
  }

  // The next pending approval opens with figures that were read after the decision.
  const advances = useAutoAdvance()
  const [spoken, setSpoken] = useState<ApprovalRow>()
  const now = useRef({ open, lines: shownLines })
  useEffect(() => {
    now.current = { open, lines: shownLines }
  })
  const advance = async (decided: ApprovalRow) => {
    const next = isUnexecuted(decided) ? undefined : nextPending(now.current.lines, decided.id)
    if (next === undefined) return
    const read = queries.prefetchQuery({ ...approvalQuery(next.org_id, next.id), staleTime: 0 })
    await Promise.race([read, new Promise((resolve) => setTimeout(resolve, readNextMillisMax))])
    if (now.current.open !== decided.id) return
    waiting.keep(decided.id)
    setSpoken(decided)
    openAndFocus(next)
  }
  useKey("list.next", () => step(1))
  useKey("list.previous", () => step(-1))
  useKey("list.open", () => document.querySelector<HTMLElement>("[data-detail-title]")?.focus(), {
    when: open !== undefined
  })
  useKey("everywhere.back", () => go(closing), { when: open !== undefined })
  useKey("list.news", () => void showNews(), { when: !isDecided && waiting.newCount > 0 })

  const [selected, setSelected] = useState<ReadonlySet<string>>(noneUrgent)
  const [isDeciding, setDeciding] = useState(false)
  // What a filter hides is in no batch.
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
    when: !isDecided && known !== undefined && !isCommand(known)
  })
  useKey("decide.batch", () => setDeciding(true), { when: !isDecided && chosen.some(isWaiting) })

  const showNews = async () => {
    await waiting.show()
    setOpened(noneUrgent)
    list.current?.scrollTo({ top: 0 })
  }

  const title = !isDetailAlone
    ? t.inbox
    : known === undefined
    ? t.detail
    : t.title(known.agent.name, operationOf(known))
  const isFiltered = q !== "" || isNarrowed(search)

  return (
    <Page
      title={title}
      guide="approvals"
      path={isDetailAlone
        ? <Link quiet from="/w/$workspace/inbox" to="." search={changed(closing)}>{t.inbox}</Link>
        : undefined}
      busy={reading.isFetching}
      layout="flush"
      action={<SecondPressSetting />}
      filters={isDetailAlone ? undefined : (
        <InboxFilterLine
          search={search}
          rows={all}
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
          <div ref={list} className={styles.list}>
            <ScreenState
              query={reading}
              isEmpty={rows.length === 0}
              empty={isFiltered
                ? {
                  text: t.empty.match,
                  action: <Button onClick={() => go(unfiltered)}>{t.empty.clear}</Button>
                }
                : {
                  text: isDecided ? t.empty.decided : t.empty.waiting,
                  detail: isDecided ? undefined : <InboxEmpty />
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
                newCount={isDecided ? 0 : waiting.newCount}
                onNew={() => void showNews()}
                onClearDecided={waiting.clearDecided}
                hasMore={reading.hasNextPage}
                isMore={reading.isFetchingNextPage}
                onMore={isDecided ? () => void decided.fetchNextPage() : waiting.more}
                chosen={chosen}
                onDecide={() => setDeciding(true)}
              />
            </ScreenState>
            {!isDecided && <SpokenArrivals count={waiting.newCount} />}
            <SpokenDecision decided={spoken} />
          </div>
        }
        detail={open === undefined ? <NothingOpen /> : (
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
            onDecidedByKey={advances && !isDecided ? (decided) => void advance(decided) : undefined}
            beside={String(waiting.newCount)}
          />
        )}
      />
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
