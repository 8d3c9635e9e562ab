/**
 * The first run: check a hub, add it, and sign in to it. Also offers a test notification and connecting this computer.
 */
import { Gate } from "@countersign/ui/app/gate.tsx"
import { Button } from "@countersign/ui/components/button.tsx"
import { useEffect, useState } from "react"
import type { ConsoleBridge } from "../../bridge/contract.ts"
import { pathOf } from "../app/places.ts"
import { desktopText as t } from "../app/text.ts"
import { TestNotice } from "../settings/test-notice.tsx"
import { AddHub } from "./add-hub.tsx"
import styles from "./hubs.module.css"

export interface FirstHubProps {
  readonly bridge: ConsoleBridge
  readonly notices: ReadonlyArray<string>
}

export const FirstHub = ({ bridge, notices }: FirstHubProps) => {
  const [added, setAdded] = useState<{ readonly id: string; readonly setup_token?: string }>()
  const isNew = added?.setup_token !== undefined
  const title = added === undefined ? t.firstTitle : t.first.title
  useEffect(() => {
    document.title = t.app.documentTitle(title)
  }, [t, title])
  return (
    <Gate title={title} lead={added === undefined ? t.firstLead : isNew ? t.first.newLead : t.first.lead}>
      {notices.map((notice) => <p key={notice} className={styles.notice} role="status">{notice}</p>)}
      {added === undefined
        ? (
          <AddHub
            bridge={bridge}
            onAdded={(id, token) => setAdded({ id, ...token === undefined ? {} : { setup_token: token } })}
          />
        )
        : (
          <div className={styles.form}>
            <Button variant="primary" wide onClick={() => void bridge.shell.openHub(added)}>
              {isNew ? t.first.setUp : t.first.signIn}
            </Button>
            <TestNotice bridge={bridge} wide />
            <Button wide onClick={() => location.assign(pathOf("device"))}>{t.first.connect}</Button>
            <p className={styles.note}>{t.first.later}</p>
          </div>
        )}
    </Gate>
  )
}
