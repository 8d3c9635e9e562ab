/**
 * Settings for confirming decisions: a second confirmation above an amount, an undo window, and auto-advance by
 * keyboard.
 */
import type { OpenMenuProps } from "../app/lazy-menu.tsx"
import { setUndoWindow, useHasUndoWindow } from "../app/undo-window.ts"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/fields.tsx"
import { Popover } from "../components/popover.tsx"
import { Switch } from "../components/switch.tsx"
import { approvalText } from "../text/approvals.ts"
import { setAutoAdvance, useAutoAdvance } from "./auto-advance.ts"
import styles from "./inbox-screen.module.css"
import { setSecondConfirmationLimit, useSecondConfirmationLimit } from "./second-confirmation.ts"

const SecondConfirmationForm = (popover: OpenMenuProps) => {
  const t = approvalText.secondPress
  const limit = useSecondConfirmationLimit()
  const hasUndoWindow = useHasUndoWindow()
  const advances = useAutoAdvance()
  return (
    <Popover {...popover} title={t.title} align="end">
      <div className={`grid gap-12 ${styles.secondPress}`}>
        <p>{t.what}</p>
        <MoneyField label={t.limit} value={limit} onChange={setSecondConfirmationLimit} invalidText={t.invalid} />
        <Button size="small" disabled={limit === undefined} onClick={() => setSecondConfirmationLimit(undefined)}>
          {t.off}
        </Button>
        <Switch label={t.undo} description={t.undoWhat} checked={hasUndoWindow} onChange={setUndoWindow} />
        <Switch label={t.advance} description={t.advanceWhat} checked={advances} onChange={setAutoAdvance} />
      </div>
    </Popover>
  )
}

export default SecondConfirmationForm
