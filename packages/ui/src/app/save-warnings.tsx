/** Warnings of the last save, shown on the page that follows it. They block nothing: the saved object is in effect. */
import type { Detail } from "@countersign/domain/errors"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { sharedValue, useSharedValue } from "../components/shared-value.ts"
import { actText } from "../text/acts.ts"
import { figure, useText } from "../text/catalogue.ts"
import { warningsText } from "../text/warnings.ts"
import styles from "./save-warnings.module.css"

type Warnings = ReadonlyArray<Detail>

const shownMax = 10
const none: Warnings = []

/** Keyed by the saved object, such as `org_1/services/shop`; kept until dismissed or saved again. */
const kept = sharedValue<ReadonlyMap<string, Warnings>>(new Map())

export const keepWarnings = (key: string, warnings: Warnings): void => {
  const next = new Map(kept.get())
  if (warnings.length === 0) next.delete(key)
  else next.set(key, warnings)
  kept.set(next)
}

export const SaveWarnings = ({ of }: { readonly of: string }) => {
  const t = useText(warningsText)
  const acts = useText(actText)
  const warnings = useSharedValue(kept).get(of) ?? none
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
