/** The empty inbox: today's executed requests, and the approvers of new ones. */
import { useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { ButtonLink } from "../app/link.tsx"
import { useCan, useWorkspace } from "../app/session.ts"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { dayQuery, memberChoices } from "../hub/queries.ts"
import { approvalText as texts } from "../text/approvals.ts"
import { decidingRoles } from "./limits-of-contract.ts"
import { listOf, nameOf } from "./words.ts"

const namesMax = 4

const InboxEmpty = () => {
  const t = texts.empty
  const can = useCan()
  const { id, name } = useWorkspace()
  const { routesByPath } = useRouter()
  const day = new Date(hubClock.now()).toISOString().slice(0, 10)
  const report = useQuery({ ...dayQuery(id, day), enabled: can("usage:read") }).data
  const members = useQuery({ ...memberChoices(id), enabled: can("members:read") }).data?.data ?? []
  const names = members.filter(({ role }) => decidingRoles.has(role)).map((member) => nameOf(member, texts))
  const totals = typeof report === "object" ? report.totals : undefined
  return (
    <span className="grid justify-items-center gap-8">
      {totals !== undefined && (
        <span>
          {totals.requests === 0 ? t.todayNone(name) : t.today(totals.requests, formatMoney(totals.cost_cents), name)}
        </span>
      )}
      {names.length > namesMax
        ? <span>{t.askedMore(names.slice(0, namesMax).join(", "), names.length - namesMax)}</span>
        : names.length > 0 && <span>{t.asked(listOf(names, texts))}</span>}
      {"/w/$workspace/start" in routesByPath && can("agents:write") && (
        <ButtonLink to="/w/$workspace/start" params={{ workspace: id }}>{t.test}</ButtonLink>
      )}
    </span>
  )
}

export default InboxEmpty
