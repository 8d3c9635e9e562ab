/**
 * A payload compared with the last approved one: removed text is struck, added text is underlined, never marked by
 * color alone. Loaded at first use.
 */
import { type ReactNode, useMemo, useState } from "react"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { type JsonChange, jsonChanges } from "./json-diff.ts"
import styles from "./payload-diff.module.css"
import { RevealedText, type RevealTexts } from "./revealed-text.tsx"

export interface PayloadDiffTexts extends RevealTexts {
  readonly same: string
  readonly added: string
  readonly removed: string
  readonly changed: string
  readonly masked: string
  /** For a masked value: whether it changed is unknown. */
  readonly notComparable: string
  readonly unchangedCount: (count: number) => string
}

export interface PayloadDiffProps {
  readonly before: unknown
  readonly after: unknown
  readonly note?: ReactNode
  readonly texts: PayloadDiffTexts
}

export const PayloadDiff = ({ before, after, note, texts }: PayloadDiffProps) => {
  const changes = useMemo(() => jsonChanges(before, after), [before, after])
  const [all, setAll] = useState(false)
  const unchanged = changes.filter((change) => change.kind === "same" && !change.masked)
  const shown = all ? changes : changes.filter((change) => change.kind !== "same" || change.masked)
  return (
    <div className="grid gap-8 container-inline">
      {note !== undefined && <p className="type-note text-3">{note}</p>}
      {shown.length === 0 && <p>{texts.same}</p>}
      <dl>
        {shown.map((change) => <Change key={`${change.path} ${change.kind}`} change={change} texts={texts} />)}
      </dl>
      {!all && unchanged.length > 0 && (
        <div>
          <Button size="small" variant="bare" onClick={() => setAll(true)}>
            {texts.unchangedCount(unchanged.length)}
          </Button>
        </div>
      )}
    </div>
  )
}

const Change = ({ change, texts }: { readonly change: JsonChange; readonly texts: PayloadDiffTexts }) => (
  <div className={styles.change}>
    <dt className="text-2 wrap-anywhere">
      <RevealedText text={change.path} texts={texts} />
      {change.kind !== "same" && <span className="block type-meta text-3">{texts[change.kind]}</span>}
    </dt>
    <dd className={styles.values}>
      {change.masked
        ? (
          <span className="type-note text-3">
            <Badge>{texts.masked}</Badge> {texts.notComparable}
          </span>
        )
        : change.kind === "same"
        ? (
          <span className="text-2">
            <RevealedText text={change.after ?? ""} texts={texts} />
          </span>
        )
        : (
          <>
            {change.before !== undefined && (
              <del className={styles.removed}>
                <RevealedText text={change.before} texts={texts} />
              </del>
            )}
            {change.after !== undefined && (
              <ins className={styles.added}>
                <RevealedText text={change.after} texts={texts} />
              </ins>
            )}
          </>
        )}
    </dd>
  </div>
)

export default PayloadDiff
