/** The bar above the console when its hub is stopped, and the link to other hubs when nobody is signed in. */
import { Button } from "@countersign/ui/components/button.tsx"
import type { ConsoleBridge, ShellState } from "../../bridge/contract.ts"
import { phaseText } from "./phase-text.ts"
import { pathOf } from "./places.ts"
import styles from "./shell-bar.module.css"
import { desktopText as t } from "./text.ts"
import { useShellState } from "./use-shell-state.ts"

export interface ShellBarProps {
  readonly bridge: ConsoleBridge
  readonly first: ShellState
}

export const ShellBar = ({ bridge, first }: ShellBarProps) => {
  const { current, hubs, notices } = useShellState(bridge, first)
  const hub = hubs.find(({ id }) => id === current)
  const phase = hub?.state?.phase
  if (hub === undefined || (phase !== "stopped" && phase !== "signed_out")) return null
  const leave = () => location.assign(pathOf("hubs"))
  return (
    <aside className={styles.bar} aria-label={t.hubs} data-phase={phase}>
      <p className={styles.text}>
        <strong>{hub.name}</strong> <span>{phaseText(t, hub.state)}</span>
        {phase === "signed_out" &&
          notices.map((notice) => <span key={notice} className={styles.notice}>{notice}</span>)}
      </p>
      {phase === "stopped" && <Button size="small" onClick={() => void bridge.shell.retryNow()}>{t.retry}</Button>}
      <Button size="small" onClick={leave}>{t.hubs}</Button>
    </aside>
  )
}
