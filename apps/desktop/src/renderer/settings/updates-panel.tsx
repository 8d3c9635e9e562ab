/** Updates of this app: off until an address is set. Spec: reference/desktop.md "E15: updates". */
import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { TextField } from "@countersign/ui/components/text-field.tsx"
import { type SyntheticEvent, useState } from "react"
import type { ConsoleBridge } from "../../bridge/contract.ts"
import type { SettingsInShell } from "../../bridge/this-computer.ts"
import type { ComputerValue } from "../app/use-computer.ts"
import deviceStyles from "../device/device.module.css"
import styles from "./settings.module.css"
import { settingsText } from "./text.ts"

export interface UpdatesPanelProps {
  readonly bridge: ConsoleBridge
  readonly value: SettingsInShell
  readonly act: ComputerValue<unknown>["act"]
}

const stateWords = (
  { installWaits, updateStates: t }: typeof settingsText,
  state: SettingsInShell["update"]
): string => {
  switch (state.phase) {
    case "off":
      return state.reason === "no_feed" || state.reason === "bad_feed" ? t[state.reason] : t.obstacle(state.reason)
    case "idle":
      return state.checkedAt === undefined ? t.unlooked : t.idle
    case "downloading":
      return t.downloading(state.version)
    case "ready":
      return state.waits ? installWaits : t.ready(state.version)
    case "failed":
      return t.failed(state.reason)
    case "checking":
      return t.checking
  }
}

export const UpdatesPanel = ({ act, bridge, value: { app_version, settings, update } }: UpdatesPanelProps) => {
  const t = settingsText
  const [feed, setFeed] = useState(settings.update_feed ?? "")
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    act(bridge.shell.changeSettings({ update_feed: feed.trim() === "" ? null : feed.trim() }))
  }
  return (
    <Panel
      title={t.updates}
      actions={update.phase === "ready"
        ? <Button size="small" onClick={() => act(bridge.shell.installUpdate())}>{t.install}</Button>
        : update.phase !== "off" && (
          <Button size="small" onClick={() => act(bridge.shell.checkUpdates())}>{t.look}</Button>
        )}
    >
      <div className={deviceStyles.group}>
        <p className={deviceStyles.note} role="status">{t.version(app_version)} {stateWords(t, update)}</p>
        <form className={styles.line} onSubmit={save}>
          <TextField label={t.feed} description={t.feedHint} mono maxLength={2_000} value={feed} onChange={setFeed} />
          <Button type="submit">{t.save}</Button>
        </form>
      </div>
    </Panel>
  )
}
