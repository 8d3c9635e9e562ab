/**
 * All shortcuts, grouped by screen. Each can be changed, and single-key shortcuts can be switched off together (WCAG
 * 2.1.4).
 */
import { type KeyboardEvent, useState } from "react"
import { Button } from "../components/button.tsx"
import { Kbd } from "../components/kbd.tsx"
import { Switch } from "../components/switch.tsx"
import { keyText as t } from "../text/keys.ts"
import styles from "./key-list.module.css"
import { pressText } from "./key-reader.ts"
import {
  boundKeys,
  conflicts,
  groupOf,
  isSequence,
  keyCaps,
  keyGroups,
  type KeyName,
  keyNames,
  setKeySettings,
  useKeySettings
} from "./keymap.ts"
import { isApple } from "./platform-keys.ts"

export const KeyList = () => {
  const settings = useKeySettings()
  const [changing, setChanging] = useState<KeyName>()
  return (
    <div className="grid gap-24">
      <div className="flex flex-wrap items-center justify-between gap-12">
        <Switch
          label={t.singleOff}
          description={t.singleOffWhat}
          checked={settings.singleOff}
          onChange={(singleOff) => setKeySettings({ ...settings, singleOff })}
        />
        {Object.keys(settings.changed).length > 0 && (
          <Button
            size="small"
            variant="bare"
            onClick={() => setKeySettings({ ...settings, changed: {} })}
          >
            {t.resetAll}
          </Button>
        )}
      </div>
      <div className={styles.groups}>
        {keyGroups.map((group) => (
          <section key={group} className={styles.group}>
            <h3>{t.groups[group]}</h3>
            <ul>
              {keyNames.filter((name) => groupOf(name) === group).map((name) => (
                <li key={name}>
                  {changing === name
                    ? <KeyField name={name} onEnd={() => setChanging(undefined)} />
                    : <KeyLine name={name} onChange={() => setChanging(name)} />}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  )
}

const KeyLine = ({ name, onChange }: { readonly name: KeyName; readonly onChange: () => void }) => {
  const caps = keyCaps(boundKeys(name, useKeySettings()), isApple)
  return (
    <div className={`flex flex-wrap items-center justify-between type-body ${styles.line}`}>
      <span>{t.names[name]}</span>
      <button type="button" className={`relative border-0 ${styles.set}`} onClick={onChange}>
        <span className="sr-only">{t.set(t.names[name])}</span>
        {caps === undefined ? <span className="type-note text-3">{t.off}</span> : <Kbd keys={caps} />}
      </button>
    </div>
  )
}

/**
 * Records keys until Enter. A sequence that another shortcut has in the same place is refused with the name of that
 * shortcut.
 */
const KeyField = ({ name, onEnd }: { readonly name: KeyName; readonly onEnd: () => void }) => {
  const settings = useKeySettings()
  const [pressed, setPressed] = useState<ReadonlyArray<string>>([])
  const keys = pressed.join(" ")
  const taken = keys === "" ? undefined : conflicts(name, keys, settings)[0]
  const set = (next: string | undefined) => {
    const { [name]: _, ...others } = settings.changed
    setKeySettings({ ...settings, changed: next === undefined ? others : { ...others, [name]: next } })
    onEnd()
  }
  const take = (event: KeyboardEvent) => {
    if (event.key === "Tab") return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === "Escape") return onEnd()
    if (event.key === "Enter" && pressed.length > 0) {
      return taken === undefined && isSequence(keys)
        ? set(keys)
        : undefined
    }
    const text = pressText(event, isApple)
    if (text !== undefined) setPressed(pressed.length === 3 ? [text] : [...pressed, text])
  }
  return (
    <div className={`flex flex-wrap items-center justify-between type-body ${styles.line}`}>
      <span>{t.names[name]}</span>
      <span className="flex items-center gap-8">
        <input
          autoFocus
          readOnly
          className={`px-8 bg-surface type-note text-1 ${styles.input}`}
          aria-label={t.set(t.names[name])}
          aria-description={t.press}
          value={keyCaps(keys === "" ? undefined : keys, isApple)?.join(" ") ?? ""}
          placeholder={t.press}
          onKeyDown={take}
          onBlur={(event) => event.relatedTarget === null && onEnd()}
        />
        <Button size="small" variant="bare" onClick={() => set(undefined)}>{t.reset}</Button>
      </span>
      {taken !== undefined && (
        <span className={`type-note text-stop ${styles.taken}`} role="alert">{t.taken(t.names[taken])}</span>
      )}
    </div>
  )
}
