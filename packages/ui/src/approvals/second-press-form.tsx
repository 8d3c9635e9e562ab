/** The limit above which a second press is asked for; it comes with its popover when it is wanted. */
import type { OpenMenuProps } from "../app/lazy-menu.tsx"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/money-field.tsx"
import { Popover } from "../components/popover.tsx"
import { approvalText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./inbox-screen.module.css"
import { setSecondPressLimit, useSecondPressLimit } from "./second-press.ts"

const SecondPressForm = (popover: OpenMenuProps) => {
  const t = useText(approvalText).secondPress
  const limit = useSecondPressLimit()
  return (
    <Popover {...popover} title={t.title} align="end">
      <div className={styles.secondPress}>
        <p>{t.what}</p>
        <MoneyField label={t.limit} value={limit} onChange={setSecondPressLimit} invalidText={t.invalid} />
        <Button size="small" disabled={limit === undefined} onClick={() => setSecondPressLimit(undefined)}>{t.off}</Button>
      </div>
    </Popover>
  )
}

export default SecondPressForm
