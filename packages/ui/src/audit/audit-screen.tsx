/** The log of a workspace: newest first, by filters that are in the address. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useSearchDraft } from "../app/search-draft.ts"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { TextField } from "../components/text-field.tsx"
import { rowsOf } from "../hub/queries.ts"
import { useArrivals } from "../live/arrivals.ts"
import { auditText } from "../text/audit.ts"
import { useText } from "../text/catalogue.ts"
import { auditPages } from "./queries.ts"
import styles from "./audit-screen.module.css"

export const AuditScreen = () => {
  const t = useText(auditText)
  const workspace = useWorkspaceId()
  const filters = useSearch({ from: "/w/$workspace/audit" })
  const navigate = useNavigate({ from: "/w/$workspace/audit" })
  const pages = useInfiniteQuery(auditPages(workspace, filters))
  const arrived = useArrivals("audit.list", workspace)
  const rows = rowsOf(pages.data)
  const filter = (changed: { readonly [K in keyof typeof filters]: (typeof filters)[K] | undefined }) => void navigate({ search: (before) => ({ ...before, ...changed } as typeof filters), replace: true })
  const [draft, setDraft] = useSearchDraft(filters.q, (q) => filter({ q }))
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page
      title={t.title}
      busy={pages.isFetching}
      filters={<TextField label={t.search} labelHidden type="search" value={draft} placeholder={t.search} onChange={setDraft} />}
      news={arrived.count > 0 && <Button size="small" onClick={() => void arrived.show()}>{t.newer(arrived.count)}</Button>}
    >
      <ScreenState
        query={pages}
        isEmpty={rows.length === 0}
        empty={isFiltered
          ? { text: t.noMatch, action: <Button onClick={() => void navigate({ search: {}, replace: true })}>{t.clear}</Button> }
          : { text: t.empty }}
      >
        <table className={styles.table}>
          <thead>
            <tr>
              <th>{t.columns.time}</th>
              <th>{t.columns.action}</th>
              <th>{t.columns.actor}</th>
              <th>{t.columns.subject}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((entry) => (
              <tr key={entry.id}>
                <td><time dateTime={entry.created_at}>{entry.created_at}</time></td>
                <td>{entry.action}</td>
                <td>{entry.actor.name}</td>
                <td>{entry.subject === undefined ? null : <Id value={entry.subject.id} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {pages.hasNextPage && (
          <Button onClick={() => void pages.fetchNextPage()} pending={pages.isFetchingNextPage}>{t.more}</Button>
        )}
      </ScreenState>
    </Page>
  )
}
