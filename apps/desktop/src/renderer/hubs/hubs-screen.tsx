/** The hubs of this computer, and the form that adds one. */
import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { useState } from "react"
import type { ConsoleBridge, ShellState } from "../../bridge/contract.ts"
import { desktopText as t } from "../app/text.ts"
import { AddHub } from "./add-hub.tsx"
import { HubCard } from "./hub-card.tsx"
import styles from "./hubs.module.css"

export interface HubsScreenProps {
  readonly bridge: ConsoleBridge
  readonly state: ShellState
  /** A hub named by a link and not added here. */
  readonly unknown: string | null
}

export const HubsScreen = ({ bridge, state: { current, hubs, notices }, unknown }: HubsScreenProps) => {
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      {unknown !== null && <p className={styles.notice} role="status">{t.unknownHub(unknown)}</p>}
      {notices.map((notice) => <p key={notice} className={styles.notice} role="status">{notice}</p>)}
      {hubs.map((hub) => <HubCard key={hub.id} bridge={bridge} hub={hub} isCurrent={hub.id === current} />)}
      {isAdding
        ? (
          <Panel title={t.another}>
            <AddHub
              bridge={bridge}
              onAdded={(id, token) =>
                void bridge.shell.openHub({ id, ...token === undefined ? {} : { setup_token: token } })}
              onBack={() => setAdding(false)}
            />
          </Panel>
        )
        : (
          <div>
            <Button onClick={() => setAdding(true)}>{t.another}</Button>
          </div>
        )}
    </>
  )
}
