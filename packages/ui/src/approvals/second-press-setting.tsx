/** Where a person sets above which amount they want to be asked twice. */
import { ShieldQuestionMark } from "lucide-react"
import { LazyMenu } from "../app/lazy-menu.tsx"
import { Button } from "../components/button.tsx"
import { approvalText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"

const load = () => import("./second-press-form.tsx")

export const SecondPressSetting = () => {
  const t = useText(approvalText).secondPress
  return (
    <LazyMenu
      opens="dialog"
      load={load}
      trigger={<Button size="small" variant="bare" icon={<ShieldQuestionMark />}>{t.open}</Button>}
    />
  )
}
