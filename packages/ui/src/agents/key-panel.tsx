/** The keys of an agent: the modes with an active key, its age, and the button for a new key. */
import type { Output } from "@countersign/hub-client/contract"
import { useState } from "react"
import { useCan } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { agentsText as texts } from "../text/agents.ts"
import styles from "./agent-screen.module.css"
import { RotateKeyDialog } from "./rotate-key-dialog.tsx"

/** The contract's age for stale keys. */
const staleKeyDays = 90

export const KeyPanel = ({ agent, isStale }: { readonly agent: Output<"agents.get">; readonly isStale: boolean }) => {
  const t = texts.keys
  const mayRotate = useCan()("agents:keys")
  const mayAct = useMayAct()
  const [rotating, setRotating] = useState(false)
  const works = (has: boolean) => (has ? t.has : <span className="text-3">{t.hasNot}</span>)
  return (
    <Panel
      title={t.title}
      actions={mayRotate
        ? (
          <Button size="small" disabled={!mayAct} onClick={() => setRotating(true)}>
            {texts.rotate.act}
          </Button>
        )
        : undefined}
    >
      <KeyValueList
        items={[
          {
            key: "hint",
            name: t.hint,
            value: agent.key_hint === null
              ? <span className="text-3">{t.hasNot}</span>
              : <code className="type-mono">{agent.key_hint}</code>
          },
          { key: "live", name: t.live, value: works(agent.mode_keys.live) },
          { key: "test", name: t.test, value: works(agent.mode_keys.test) }
        ]}
      />
      {isStale && (
        <p className={styles.stale}>
          <Badge tone="hold">{texts.oldKey}</Badge> {t.old(staleKeyDays)}
        </p>
      )}
      {!mayRotate && <p className={styles.who}>{t.who}</p>}
      {rotating && <RotateKeyDialog agent={agent} onClose={() => setRotating(false)} />}
    </Panel>
  )
}
