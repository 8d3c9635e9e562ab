/**
 * This computer as a device. The screen shows and stops it; its rights are set in the owner's window only. Spec:
 * reference/desktop.md "This computer".
 */
import type { ConsoleBridge, HubInShell } from "../../bridge/contract.ts"
import { useComputer } from "../app/use-computer.ts"
import { ConnectPanel } from "./connect-panel.tsx"
import { DeviceFacts } from "./device-facts.tsx"
import { DeviceLines } from "./device-lines.tsx"
import { DeviceStatus } from "./device-status.tsx"
import styles from "./device.module.css"
import { deviceText as t } from "./text.ts"

export interface DeviceScreenProps {
  readonly bridge: ConsoleBridge
  readonly hub: HubInShell | undefined
}

export const DeviceScreen = ({ bridge, hub }: DeviceScreenProps) => {
  const { act, problem, value } = useComputer(bridge, "device", bridge.shell.device)
  if (value === undefined) return null
  const wrong = problem ?? value.problem
  return (
    <>
      {wrong != null && <p className={styles.problem} role="alert">{wrong}</p>}
      {value.questions > 0 && (
        <p className={styles.ask} role="status">
          <strong>{t.questions(value.questions)}</strong>
          <button type="button" className={styles.link} onClick={() => act(bridge.shell.showOwner())}>
            {t.answer}
          </button>
        </p>
      )}
      {value.paired === null
        ? value.problem === null && <ConnectPanel bridge={bridge} device={value} hub={hub} act={act} />
        : (
          <>
            <DeviceStatus bridge={bridge} device={value} act={act} />
            <DeviceFacts bridge={bridge} device={value} paired={value.paired} act={act} />
          </>
        )}
      {(value.paired !== null || value.lines.length > 0) && <DeviceLines lines={value.lines} />}
    </>
  )
}
