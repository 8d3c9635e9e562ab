/** Warnings of the last save, shown where the person lands after it. Nothing is blocked: what was saved is in effect. */
import { useSyncExternalStore } from "react"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import type { Detail } from "../hub/error.ts"
import { actText } from "../text/acts.ts"
import { figure, useText } from "../text/catalogue.ts"
import { warningsText } from "../text/warnings.ts"
import styles from "./save-warnings.module.css"

type Warnings = ReadonlyArray<Detail>

const shownMax = 10
const none: Warnings = []

/** By what was saved, such as `org_1/services/shop`; until it is dismissed or saved again. */
const kept = new Map<string, Warnings>()
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const keepWarnings = (key: string, warnings: Warnings): void => {
  if (warnings.length === 0) kept.delete(key)
  else kept.set(key, warnings)
  for (const listener of listeners) listener()
}

export const SaveWarnings = ({ of }: { readonly of: string }) => {
  const t = useText(warningsText)
  const acts = useText(actText)
  const warnings = useSyncExternalStore(subscribe, () => kept.get(of) ?? none)
  if (warnings.length === 0) return null
  const more = warnings.length - shownMax
  return (
    <Panel
      title={t.title(warnings.length)}
      className={styles.panel}
      actions={
        <Button size="small" variant="bare" onClick={() => keepWarnings(of, none)}>
          {acts.dismiss}
        </Button>
      }
    >
      <ul className={styles.list}>
        {warnings.slice(0, shownMax).map(({ message, path }) => (
          <li key={path + message}>
            {path !== "" && <code className={styles.path}>{path}</code>} {message}
          </li>
        ))}
      </ul>
      {more > 0 && <p className={styles.more}>{t.more(figure(more))}</p>}
    </Panel>
  )
}
