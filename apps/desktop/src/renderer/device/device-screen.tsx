/** This computer as a device. It shows and stops; what it may do is set in the owner's window alone. Spec: desktop 4.1.13. */
import { useText } from "@countersign/ui/text/catalogue"
import type { ConsoleBridge, HubInShell } from "../../bridge/contract.ts"
import { useComputer } from "../app/use-computer.ts"
import { DeviceFacts } from "./device-facts.tsx"
import { DeviceLines } from "./device-lines.tsx"
import { DeviceStanding } from "./device-standing.tsx"
import styles from "./device.module.css"
import { LendPanel } from "./lend-panel.tsx"
import { deviceText } from "./text.ts"

export interface DeviceScreenProps {
  readonly bridge: ConsoleBridge
  readonly hub: HubInShell | undefined
}

export const DeviceScreen = ({ bridge, hub }: DeviceScreenProps) => {
  const t = useText(deviceText)
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
        ? value.problem === null && <LendPanel bridge={bridge} device={value} hub={hub} act={act} />
        : (
          <>
            <DeviceStanding bridge={bridge} device={value} act={act} />
            <DeviceFacts bridge={bridge} device={value} paired={value.paired} act={act} />
          </>
        )}
      {(value.paired !== null || value.lines.length > 0) && <DeviceLines lines={value.lines} />}
    </>
  )
}
