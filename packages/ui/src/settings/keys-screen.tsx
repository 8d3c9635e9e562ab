import { KeyList } from "../app/key-list.tsx"
import { Panel } from "../components/panel.tsx"
import { keyText } from "../text/keys.ts"
import { settingsText } from "../text/settings.ts"
import { SettingsFrame } from "./settings-frame.tsx"

export const KeysScreen = () => {
  const { keys: t } = settingsText
  const { title } = keyText
  return (
    <SettingsFrame section="keys" lead={t.what}>
      <Panel title={title}>
        <KeyList />
      </Panel>
    </SettingsFrame>
  )
}
