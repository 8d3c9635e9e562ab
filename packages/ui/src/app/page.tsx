/** The layout of a screen: the top line with path, search, and the page's action, then filters, then the content. */
import { Search } from "lucide-react"
import { type ReactNode, useEffect } from "react"
import { Kbd } from "../components/kbd.tsx"
import { ProgressLine } from "../components/progress-line.tsx"
import { shellText as t } from "../text/shell.ts"
import { type GuideTopic, LearnMore } from "./learn-more.tsx"
import { openOverlay } from "./overlay.ts"
import styles from "./page.module.css"
import { pendingCountText, usePendingCount } from "./pending-approvals.ts"
import { paletteKeys } from "./platform-keys.ts"
import { useWorkspace } from "./session.ts"

export interface PageProps {
  /** The last part of the path, and the document's title. */
  readonly title: string
  /** Links before the title, such as the list that a detail belongs to: `<Link …>Agents</Link>`. */
  readonly path?: ReactNode
  /** The section of the guide that explains this page. */
  readonly guide?: GuideTopic
  /** The page's primary action. */
  readonly action?: ReactNode
  /** A line of chips and fields under the top line; the address holds all of their values. */
  readonly filters?: ReactNode
  /** The button of `useArrivals`: it overlays the top of the list and moves nothing. */
  readonly news?: ReactNode
  /** Data is loading: shows a 2 px bar whose space is reserved. */
  readonly busy?: boolean
  /** `flush`: tables and split views that extend to the edges. */
  readonly layout?: "padded" | "flush"
  readonly children: ReactNode
}

export const Page = (
  { action, busy = false, children, filters, guide, layout = "padded", news, path, title }: PageProps
) => {
  const workspace = useWorkspace()
  const pendingCount = usePendingCount()?.total ?? 0
  useEffect(() => {
    const words = t.documentTitle(title, workspace.name)
    document.title = pendingCount === 0 ? words : t.documentCount(pendingCountText(pendingCount), words)
  }, [title, pendingCount, workspace.name])
  return (
    <div className={`grid min-h-0 ${styles.page}`}>
      <header className={`flex items-center gap-16 relative ${styles.top}`}>
        <div className="flex flex-1 items-baseline gap-8 min-w-0 type-body text-3">
          <span className={`flex-none truncate ${styles.workspace}`}>{workspace.name}</span>
          {path !== undefined && <span className={styles.before}>{path}</span>}
          <h1 className={`type-control weight-strong text-1 truncate ${styles.title}`}>{title}</h1>
          {guide !== undefined && (
            <span className={`flex flex-none ${styles.guide}`}>
              <LearnMore topic={guide} />
            </span>
          )}
        </div>
        <button
          type="button"
          className={styles.search}
          onClick={() => openOverlay("palette")}
          aria-keyshortcuts="Control+K Meta+K"
        >
          <Search aria-hidden size={14} />
          <span className="flex-1 text-start">{t.search}</span>
          <Kbd keys={paletteKeys} />
        </button>
        <div className={`flex flex-none gap-8 ${styles.action}`}>{action}</div>
        <div className={styles.busy}>
          <ProgressLine active={busy} label={t.loading} />
        </div>
      </header>
      {filters !== undefined && (
        <section className={`flex flex-wrap items-center gap-8 ${styles.filters}`} aria-label={t.filters}>
          {filters}
        </section>
      )}
      <main id="content" className={`relative min-h-0 ${styles.content}`} data-layout={layout} tabIndex={-1}>
        {news !== undefined && news !== false && news !== null && (
          <div className={`flex items-start ${styles.news}`}>{news}</div>
        )}
        {children}
      </main>
    </div>
  )
}
