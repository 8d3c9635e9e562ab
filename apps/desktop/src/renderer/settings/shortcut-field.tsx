/** A system-wide shortcut in Electron's notation, with the result of its registration. */
import { Button } from "@countersign/ui/components/button.tsx"
import { TextField } from "@countersign/ui/components/text-field.tsx"
import { type SyntheticEvent, useState } from "react"
import type { SettingsInShell } from "../../bridge/this-computer.ts"
import styles from "./settings.module.css"
import { settingsText as t } from "./text.ts"

export interface ShortcutFieldProps {
  readonly label: string
  readonly value: string | null
  readonly state: SettingsInShell["shortcuts"]["open"]
  readonly onSave: (value: string | null) => void
}

export const ShortcutField = ({ label, onSave, state, value }: ShortcutFieldProps) => {
  const [typed, setTyped] = useState(value ?? "")
  const stateText = t.states[state]
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    onSave(typed.trim() === "" ? null : typed.trim())
  }
  return (
    <form className={styles.line} onSubmit={save}>
      <TextField
        label={label}
        description={stateText === "" ? t.shortcutHint : stateText}
        mono
        maxLength={60}
        value={typed}
        onChange={setTyped}
      />
      <Button type="submit">{t.save}</Button>
    </form>
  )
}
