/** At the foot of a request: its audit entries, the newest hash, and whether the log is intact. */
import { Link } from "../app/link.tsx"
import { useAuditWords } from "../audit/action-words.ts"
import { useVerification, VerificationResult } from "../audit/verify-log.tsx"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { actText as acts } from "../text/acts.ts"
import { requestsText as t } from "../text/requests.ts"
import styles from "./request-screen.module.css"
import type { Trace } from "./steps.tsx"

export const RequestLog = ({ entries, workspace }: Pick<Trace, "entries"> & { readonly workspace: string }) => {
  const words = useAuditWords()
  const { start, walk } = useVerification(workspace)
  const last = entries.at(-1)
  return (
    <Panel
      title={t.log.title}
      actions={last === undefined
        ? undefined
        : (
          <Button size="small" pending={walk.kind === "running"} pendingText={acts.asking} onClick={() => void start()}>
            {t.verify}
          </Button>
        )}
    >
      {last === undefined ? <p className="type-body text-2">{t.log.none}</p> : (
        <div className="grid gap-12">
          <ul className="grid">
            {entries.map((entry) => (
              <li key={entry.id} className={`grid items-baseline gap-16 border-b type-body ${styles.entry}`}>
                <Link
                  to="/w/$workspace/audit"
                  params={{ workspace }}
                  search={{ entry: entry.seq }}
                  title={entry.action}
                >
                  {words.action(entry.action)}
                </Link>
                <span className={styles.by}>{t.log.by(entry.actor.name)}</span>
                <span className="text-3">
                  <RelativeTime at={entry.created_at} now={hubClock.now} />
                </span>
              </li>
            ))}
          </ul>
          <p className="flex flex-wrap items-center gap-8 type-body">
            <span className="text-3">{t.log.entry(last.seq)}</span>
            <Id value={last.hash} head={16} tail={8} texts={acts.copying} />
          </p>
          <VerificationResult walk={walk} />
        </div>
      )}
    </Panel>
  )
}
