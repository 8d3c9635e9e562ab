/** First run: a hub is looked at, then added. */
import { Gate } from "@countersign/ui/app/gate.tsx"
import { useText } from "@countersign/ui/text/catalogue"
import { useEffect } from "react"
import type { ConsoleBridge } from "../../bridge/contract.ts"
import { desktopText } from "../text.ts"
import { AddHub } from "./add-hub.tsx"
import styles from "./hubs.module.css"

export interface FirstHubProps {
  readonly bridge: ConsoleBridge
  readonly notices: ReadonlyArray<string>
}

export const FirstHub = ({ bridge, notices }: FirstHubProps) => {
  const t = useText(desktopText)
  useEffect(() => {
    document.title = t.app.documentTitle(t.firstTitle)
  }, [t])
  return (
    <Gate title={t.firstTitle} lead={t.firstLead}>
      {notices.map((notice) => <p key={notice} className={styles.notice} role="status">{notice}</p>)}
      <AddHub bridge={bridge} onAdded={(id) => void bridge.shell.openHub({ id })} />
    </Gate>
  )
}
