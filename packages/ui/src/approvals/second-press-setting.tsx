/** Where a person sets above which amount they want to be asked twice. */
import { ShieldQuestionMark } from "lucide-react"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/money-field.tsx"
import { Popover } from "../components/popover.tsx"
import { approvalText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./inbox-screen.module.css"
import { setSecondPressLimit, useSecondPressLimit } from "./second-press.ts"

export const SecondPressSetting = () => {
  const t = useText(approvalText).secondPress
  const limit = useSecondPressLimit()
  return (
    <Popover title={t.title} align="end" trigger={<Button size="small" variant="bare" icon={<ShieldQuestionMark />}>{t.open}</Button>}>
      <div className={styles.secondPress}>
        <p>{t.what}</p>
        <MoneyField label={t.limit} value={limit} onChange={setSecondPressLimit} invalidText={t.invalid} />
        <Button size="small" disabled={limit === undefined} onClick={() => setSecondPressLimit(undefined)}>{t.off}</Button>
      </div>
    </Popover>
  )
}
