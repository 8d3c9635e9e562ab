/** First run and the hubs of this computer: what there is, and a new one that is looked at before it is added. */
import { Gate } from "@countersign/ui/app/gate.tsx"
import { Button } from "@countersign/ui/components/button.tsx"
import { useText } from "@countersign/ui/text/catalogue"
import { useEffect, useState } from "react"
import type { ConsoleBridge, ShellState } from "../../bridge/contract.ts"
import { desktopText } from "../text.ts"
import { useShellState } from "../use-shell-state.ts"
import { AddHub } from "./add-hub.tsx"
import { HubCard } from "./hub-card.tsx"
import styles from "./hubs.module.css"

export interface HubsAppProps {
  readonly bridge: ConsoleBridge
  readonly first: ShellState
}

export const HubsApp = ({ bridge, first }: HubsAppProps) => {
  const t = useText(desktopText)
  const { current, hubs, notices } = useShellState(bridge, first)
  const [isAdding, setAdding] = useState(false)
  useEffect(() => {
    document.title = t.documentTitle
  }, [t])
  const added = (id: string) => void bridge.shell.openHub({ id })
  const isFirst = hubs.length === 0
  return (
    <Gate title={isFirst ? t.firstTitle : t.hubs} lead={isFirst ? t.firstLead : t.lead}>
      {notices.map((notice) => <p key={notice} className={styles.notice} role="status">{notice}</p>)}
      {!isFirst && (
        <ul className={styles.list}>
          {hubs.map((hub) => <HubCard key={hub.id} bridge={bridge} hub={hub} isCurrent={hub.id === current} />)}
        </ul>
      )}
      {isFirst || isAdding
        ? <AddHub bridge={bridge} onAdded={added} {...isFirst ? {} : { onBack: () => setAdding(false) }} />
        : <Button wide onClick={() => setAdding(true)}>{t.another}</Button>}
    </Gate>
  )
}
