/** One hub that this computer knows, and what its owner set for it here. */
import { Button } from "@countersign/ui/components/button.tsx"
import { MoneyField } from "@countersign/ui/components/money-field.tsx"
import { useText } from "@countersign/ui/text/catalogue"
import { useState } from "react"
import type { ConsoleBridge, HubInShell } from "../../bridge/contract.ts"
import { phaseText } from "../phase-text.ts"
import { desktopText } from "../text.ts"
import { Facts } from "./facts.tsx"
import styles from "./hubs.module.css"

export interface HubCardProps {
  readonly bridge: ConsoleBridge
  readonly hub: HubInShell
  readonly isCurrent: boolean
}

export const HubCard = ({ bridge, hub, isCurrent }: HubCardProps) => {
  const t = useText(desktopText)
  const [limit, setLimit] = useState(hub.limit_cents ?? undefined)
  const [isRemoving, setRemoving] = useState(false)
  const [told, setTold] = useState("")
  const save = async () => {
    const said = await bridge.shell.updateHub({ id: hub.id, limit_cents: limit ?? null })
    setTold(said.ok ? t.saved : said.error.message)
  }
  return (
    <li className={styles.card}>
      <h2 className={styles.subtitle}>{hub.name}</h2>
      <p className={styles.note} role="status">{phaseText(t, hub.state)}</p>
      <Facts
        rows={[
          [t.url, hub.url], [t.identity, hub.hub_id],
          ...hub.ca_sha256 === null ? [] : [[t.fingerprint, hub.ca_sha256] as const]
        ]}
      />
      <MoneyField label={t.limit} description={t.limitHint} invalidText={t.invalidMoney} value={limit} onChange={setLimit} />
      <div className={styles.acts}>
        <Button size="small" onClick={() => void save()}>{t.save}</Button>
        <Button size="small" variant="primary" onClick={() => void bridge.shell.openHub({ id: hub.id })}>{isCurrent ? t.shown : t.open}</Button>
        {!isRemoving && <Button size="small" variant="quiet" onClick={() => setRemoving(true)}>{t.remove}</Button>}
      </div>
      {isRemoving && (
        <div className={styles.acts} role="group" aria-label={t.remove}>
          <p className={styles.note}>{t.removeLead}</p>
          <Button size="small" variant="danger" onClick={() => void bridge.shell.removeHub({ id: hub.id })}>{t.removeSure}</Button>
          <Button size="small" onClick={() => setRemoving(false)}>{t.keep}</Button>
        </div>
      )}
      <p className={styles.note} aria-live="polite">{told}</p>
    </li>
  )
}
