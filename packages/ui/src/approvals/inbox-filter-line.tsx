/** The line above the inbox: tabs, workspace, chips, and search. The address holds all of their values. */
import { Suspense, useCallback, useState } from "react"
import { Link } from "../app/link.tsx"
import { usePreload } from "../app/preload.ts"
import { useSearchDraft } from "../app/search-draft.ts"
import { useWorkspaces } from "../app/session.ts"
import { lazyPart } from "../components/lazy-part.ts"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { FilterFold } from "../patterns/filter-fold.tsx"
import { approvalText as t } from "../text/approvals.ts"
import { listingText as list } from "../text/listing.ts"
import { countOfSet } from "./inbox-filter.ts"
import type { InboxFiltersProps } from "./inbox-filters.tsx"
import styles from "./inbox-screen.module.css"
import { changed, closing } from "./inbox-search.ts"

const loadFilters = () => import("./inbox-filters.tsx")
const InboxFilters = lazyPart(loadFilters)

export const InboxFilterLine = ({ agents, change, filter, ignored, open, rows, search }: InboxFiltersProps) => {
  const workspaces = useWorkspaces()
  // The first load shows the approvals; the filters load when the browser is idle.
  const [areFiltersLoaded, setFiltersLoaded] = useState(false)
  usePreload(useCallback(() => loadFilters().then(() => setFiltersLoaded(true)), []))
  const [draft, setDraft] = useSearchDraft(search.q, (next) => change({ q: next }))
  // A note about ignored parts of the link is not hidden.
  const [isOpen, setOpen] = useState(ignored.length > 0)
  return (
    <div className={styles.line}>
      <nav className={`flex border rounded-control ${styles.tabs}`} aria-label={t.tabs.label}>
        {([undefined, "decided"] as const).map((show) => (
          <Link
            key={show ?? ""}
            quiet
            className={styles.tab}
            from="/w/$workspace/inbox"
            to="."
            search={changed({ ...closing, show, sort: undefined })}
            // The current tab matches any search; the other tab matches only an identical one.
            activeOptions={{ exact: show !== search.show }}
            aria-current={show === search.show ? "page" : undefined}
          >
            {show === undefined ? t.tabs.waiting : t.tabs.decided}
          </Link>
        ))}
      </nav>
      <FilterFold open={isOpen} onOpenChange={setOpen} text={list.fold(countOfSet(filter))}>
        {workspaces.length > 1 && (
          <Select
            label={t.workspace}
            labelHidden
            value={filter.workspace ?? ""}
            onChange={(next) => change({ workspace: next === "" ? undefined : next })}
            options={[
              { value: "", text: t.allWorkspaces },
              ...workspaces.map(({ id, name }) => ({ value: id as string, text: name }))
            ]}
          />
        )}
        <Suspense fallback={<div className={styles.chipsRoom} />}>
          {areFiltersLoaded
            ? (
              <InboxFilters
                agents={agents}
                search={search}
                filter={filter}
                ignored={ignored}
                rows={rows}
                change={change}
                open={open}
              />
            )
            : <div className={styles.chipsRoom} />}
        </Suspense>
        <TextField
          className={styles.search}
          label={t.search}
          labelHidden
          type="search"
          value={draft}
          placeholder={t.search}
          onChange={setDraft}
          data-search
        />
      </FilterFold>
    </div>
  )
}
