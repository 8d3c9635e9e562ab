/** The button that opens the confirmation settings. */
import { ShieldQuestionMark } from "lucide-react"
import { LazyMenu } from "../app/lazy-menu.tsx"
import { Button } from "../components/button.tsx"
import { approvalText } from "../text/approvals.ts"

const load = () => import("./second-confirmation-form.tsx")

export const SecondConfirmationSetting = () => {
  const t = approvalText.secondPress
  return (
    <LazyMenu
      opens="dialog"
      load={load}
      trigger={<Button size="small" variant="bare" icon={<ShieldQuestionMark />}>{t.open}</Button>}
    />
  )
}
