/** One hub of this computer, with its local settings. */
import { Button } from "@countersign/ui/components/button.tsx"
import { MoneyField } from "@countersign/ui/components/fields.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { Switch } from "@countersign/ui/components/switch.tsx"
import { useState } from "react"
import type { ConsoleBridge, HubChanges, HubInShell } from "../../bridge/contract.ts"
import { fingerprint } from "../../bridge/fingerprint.ts"
import { Facts } from "../app/facts.tsx"
import { phaseText } from "../app/phase-text.ts"
import { desktopText as t } from "../app/text.ts"
import styles from "./hubs.module.css"
import { RemoveHub } from "./remove-hub.tsx"
import { RenewedAuthority } from "./renewed-authority.tsx"

export interface HubCardProps {
  readonly bridge: ConsoleBridge
  readonly hub: HubInShell
  readonly isCurrent: boolean
}

export const HubCard = ({ bridge, hub, isCurrent }: HubCardProps) => {
  const [limit, setLimit] = useState(hub.limit_cents ?? undefined)
  const [isRemoving, setRemoving] = useState(false)
  const [status, setStatus] = useState("")
  const { notifications } = hub
  const change = async (changes: Omit<HubChanges, "id">) => {
    const answer = await bridge.shell.updateHub({ id: hub.id, ...changes })
    setStatus(answer.ok ? t.saved : answer.error.message)
  }
  const notify = (changes: Partial<HubInShell["notifications"]>) =>
    void change({ notifications: { ...notifications, ...changes } })
  return (
    <Panel
      title={hub.name}
      actions={isCurrent
        ? <span className={styles.note}>{t.shown}</span>
        : <Button size="small" onClick={() => void bridge.shell.openHub({ id: hub.id })}>{t.open}</Button>}
    >
      <div className={styles.card}>
        <p className={styles.state} role="status">{phaseText(t, hub.state)}</p>
        {hub.state?.phase === "stopped" && hub.state.cause.kind === "untrusted_certificate" &&
          <RenewedAuthority bridge={bridge} hub={hub} shown={hub.state.cause} />}
        <Facts
          rows={[
            [t.url, hub.url],
            [t.identity, hub.hub_id],
            ...hub.ca_sha256 === null ? [] : [[t.imported, fingerprint(hub.ca_sha256)] as const]
          ]}
        />
        <div className={styles.switches}>
          <Switch label={t.notify} checked={notifications.enabled} onChange={(enabled) => notify({ enabled })} />
          <Switch
            label={t.remind}
            checked={notifications.remind}
            disabled={!notifications.enabled}
            onChange={(remind) => notify({ remind })}
          />
          <Switch
            label={t.showPayload}
            description={t.showPayloadHint}
            checked={notifications.show_payload}
            disabled={!notifications.enabled}
            onChange={(show_payload) => notify({ show_payload })}
          />
        </div>
        <div className={styles.limit}>
          <MoneyField
            label={t.limit}
            description={t.limitHint}
            invalidText={t.invalidMoney}
            value={limit}
            onChange={setLimit}
          />
          <Button onClick={() => void change({ limit_cents: limit ?? null })}>{t.save}</Button>
        </div>
        <div className={styles.acts}>
          <Button size="small" variant="danger" onClick={() => setRemoving(true)}>{t.remove}</Button>
          <span className={styles.note} aria-live="polite">{status}</span>
        </div>
      </div>
      <RemoveHub bridge={bridge} hub={hub} open={isRemoving} onOpenChange={setRemoving} onProblem={setStatus} />
    </Panel>
  )
}
