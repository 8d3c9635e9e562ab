/**
 * Decisions that can still be undone, above every screen. A dialog covers them, so it has a button for the newest
 * decision.
 */
import { Button } from "../components/button.tsx"
import styles from "../components/toast.module.css"
import { useTicking } from "../patterns/ticking.ts"
import { shellText } from "../text/shell.ts"
import { useKey, useKeyCaps } from "./keys.ts"
import { type Undoable, undoNewest, useUndoables } from "./undo-window.ts"

export const UndoNotices = () => {
  const undoables = useUndoables()
  useKey("decide.undo", undoNewest, { when: undoables.length > 0, listed: "active" })
  if (undoables.length === 0) return null
  return (
    <div className={styles.region}>
      <ul className="grid justify-items-center gap-8 px-16">
        {undoables.map((each) => <UndoNotice key={each.id} undoable={each} />)}
      </ul>
    </div>
  )
}

export const UndoButton = () => {
  const t = shellText.undo
  const newest = useUndoables().at(-1)
  return newest === undefined ? null : <Button onClick={newest.undo}>{t.undo}</Button>
}

const UndoNotice = ({ undoable: { sendsAt, text, undo } }: { readonly undoable: Undoable }) => {
  const t = shellText.undo
  const caps = useKeyCaps("decide.undo")
  const seconds = useTicking(() => Math.max(1, Math.ceil((sendsAt - Date.now()) / 1_000)))
  return (
    <li className={styles.toast}>
      <span className="min-w-0 wrap-anywhere">
        <span role="status">{text}</span> <span aria-hidden>{t.sendsIn(seconds)}</span>
      </span>
      <Button size="small" keys={caps} onClick={undo}>{t.undo}</Button>
    </li>
  )
}
