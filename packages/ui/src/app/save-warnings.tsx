/** Warnings of the last save, shown on the page that follows it. They block nothing: the saved object is in effect. */
import type { Detail } from "@countersign/domain/errors"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { sharedValue, useSharedValue } from "../components/shared-value.ts"
import { actText as acts } from "../text/acts.ts"
import { figure } from "../text/catalogue.ts"
import { warningsText as t } from "../text/warnings.ts"

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

export interface WarningListProps {
  readonly warnings: Warnings
  /** A path in words; by default the path itself, as code. */
  readonly place?: ((path: string) => string) | undefined
}

export const WarningList = ({ place, warnings }: WarningListProps) => {
  const more = warnings.length - shownMax
  return (
    <>
      <ul className="grid gap-8 max-w-reading ps-16 type-body wrap-anywhere">
        {warnings.slice(0, shownMax).map(({ message, path }) => (
          <li key={path + message}>
            {path !== "" && (place === undefined
              ? <code className="type-mono text-2">{path}</code>
              : <span className="weight-label">{`${place(path)}:`}</span>)} {message}
          </li>
        ))}
      </ul>
      {more > 0 && <p className="mt-8 type-body text-2">{t.more(figure(more))}</p>}
    </>
  )
}

export const SaveWarnings = ({ of, place }: { readonly of: string } & Pick<WarningListProps, "place">) => {
  const warnings = useSharedValue(kept).get(of) ?? none
  if (warnings.length === 0) return null
  return (
    <Panel
      title={t.title(warnings.length)}
      className="mb-16"
      actions={
        <Button size="small" variant="bare" onClick={() => keepWarnings(of, none)}>
          {acts.dismiss}
        </Button>
      }
    >
      <WarningList warnings={warnings} place={place} />
    </Panel>
  )
}
