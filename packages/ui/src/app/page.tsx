/** The frame of a screen: the top line with path, search and the page's one act, then filters, then what it is about. */
import { Search } from "lucide-react"
import { type ReactNode, useEffect } from "react"
import { Kbd } from "../components/kbd.tsx"
import { ProgressLine } from "../components/progress-line.tsx"
import { useText } from "../text/catalogue.ts"
import { shellText } from "../text/shell.ts"
import { type GuideTopic, LearnMore } from "./learn-more.tsx"
import { openOverlay } from "./overlay.ts"
import styles from "./page.module.css"
import { paletteKeys } from "./platform-keys.ts"
import { useWorkspace } from "./session.ts"
import { useWaitingCount, waitingText } from "./waiting.ts"

export interface PageProps {
  /** Last in the path, and the document's title. */
  readonly title: string
  /** Links before the title, such as the list that a detail is of: `<Link …>Agents</Link>`. */
  readonly path?: ReactNode
  /** The section of the guide that explains this page. */
  readonly guide?: GuideTopic
  /** The page's one primary act. */
  readonly action?: ReactNode
  /** A line of chips and fields under the top line; all of it is in the address. */
  readonly filters?: ReactNode
  /** The button of `useArrivals`: it lies over the list's top and moves nothing. */
  readonly news?: ReactNode
  /** Something is read: a 2 px bar whose room is kept. */
  readonly busy?: boolean
  /** `flush`: tables and split views that reach the edges. */
  readonly layout?: "padded" | "flush"
  readonly children: ReactNode
}

export const Page = (
  { action, busy = false, children, filters, guide, layout = "padded", news, path, title }: PageProps
) => {
  const t = useText(shellText)
  const workspace = useWorkspace()
  const waiting = useWaitingCount() ?? 0
  useEffect(() => {
    const words = t.documentTitle(title, workspace.name)
    document.title = waiting === 0 ? words : t.documentCount(waitingText(waiting), words)
  }, [t, title, waiting, workspace.name])
  return (
    <div className={styles.page}>
      <header className={styles.top}>
        <div className={styles.path}>
          <span className={styles.workspace}>{workspace.name}</span>
          {path !== undefined && <span className={styles.before}>{path}</span>}
          <h1 className={styles.title}>{title}</h1>
          {guide !== undefined && (
            <span className={styles.guide}>
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
          <span className={styles.searchWords}>{t.search}</span>
          <Kbd keys={paletteKeys} />
        </button>
        <div className={styles.action}>{action}</div>
        <div className={styles.busy}>
          <ProgressLine active={busy} label={t.loading} />
        </div>
      </header>
      {filters !== undefined && <section className={styles.filters} aria-label={t.filters}>{filters}</section>}
      <main id="content" className={styles.content} data-layout={layout} tabIndex={-1}>
        {news !== undefined && news !== false && news !== null && <div className={styles.news}>{news}</div>}
        {children}
      </main>
    </div>
  )
}
