/** The folders in which commands may work. The system's dialog picks a folder; the page never sends a path. */
import { Badge } from "@countersign/ui/components/badge.tsx"
import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { RevealedText } from "@countersign/ui/patterns/revealed-text.tsx"
import { payloadText as texts } from "@countersign/ui/text/payload"
import { useState } from "react"
import type { OwnerBridge, OwnerRoot } from "../../bridge/owner.ts"
import { useBridgeCall } from "./bridge-call.ts"
import styles from "./desk.module.css"
import { ProblemText } from "./problem-text.tsx"
import { ownerText as t } from "./text.ts"

export interface RootsPanelProps {
  readonly bridge: OwnerBridge
  readonly roots: ReadonlyArray<OwnerRoot>
}

export const RootsPanel = ({ bridge, roots }: RootsPanelProps) => {
  const { ask, busy, problem } = useBridgeCall()
  const [status, setStatus] = useState("")
  const open = () => {
    setStatus("")
    return ask(() => bridge.addRoot(), ({ added }) => {
      if (added !== null) setStatus(t.opened(added))
    })
  }
  const close = (path: string) => ask(() => bridge.removeRoot({ path }), () => setStatus(t.closed(path)))
  return (
    <Panel
      title={t.folders}
      actions={
        <Button size="small" pending={busy} pendingText={t.picking} onClick={() => void open()}>{t.openFolder}</Button>
      }
    >
      <div className={styles.stack}>
        <p className={styles.lead}>{roots.length === 0 ? t.noFolders : t.foldersLead}</p>
        {roots.length > 0 && (
          <ul className={styles.rows}>
            {roots.map(({ path, there }) => (
              <li key={path} className={styles.row}>
                <div className={styles.words}>
                  <p className={styles.mono}>
                    <RevealedText text={path} texts={texts} />
                  </p>
                  {!there && (
                    <p className={styles.meta}>
                      <Badge tone="stop">{t.notThere}</Badge> {t.notThereLead}
                    </p>
                  )}
                </div>
                <Button size="small" variant="bare" aria-label={t.closeFolder(path)} onClick={() => void close(path)}>
                  {t.close}
                </Button>
              </li>
            ))}
          </ul>
        )}
        {problem !== undefined && <ProblemText problem={problem} />}
        <p className={styles.status} role="status">{status}</p>
      </div>
    </Panel>
  )
}
