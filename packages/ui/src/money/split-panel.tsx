/** How the workspace's money is split: its wallet, each team's pool, and the allocations of a team's people. */
import { useQueries, useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { allTeamMembers, allTeams, balanceQuery, teamBudgetQuery } from "../hub/queries.ts"
import { PlaceLink } from "../listing/place-link.tsx"
import { memberName } from "../patterns/member-name.ts"
import { Money } from "../patterns/money.tsx"
import { moneyText } from "../text/money.ts"
import styles from "./money-screen.module.css"

/** Teams that are read at once: each is one call. */
const teamsAtOnce = 10

const sum = (cents: ReadonlyArray<number>): number => cents.reduce((all, each) => all + each, 0)

/** Shown only in a workspace with teams. */
export const SplitPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = moneyText.split
  const [shown, setShown] = useState(teamsAtOnce)
  const balance = useQuery(balanceQuery(workspace)).data
  const every = useQuery(allTeams(workspace)).data ?? []
  const teams = every.slice(0, shown)
  const budgets = useQueries({ queries: teams.map(({ id }) => teamBudgetQuery(workspace, id)) })
  if (balance === undefined || every.length === 0) return null
  const known = budgets.flatMap(({ data }) => data === undefined ? [] : [data.balance_cents + data.allocated_cents])
  return (
    <Panel title={t.title}>
      <ul className={`grid gap-8 ${styles.split}`}>
        <Line name={t.wallet} cents={balance.balance_cents} />
        {teams.map(({ id, name }, at) => {
          const { data, error } = budgets[at]!
          return (
            <li key={id} className="grid gap-4">
              <span className="min-w-0 wrap-anywhere">
                <PlaceLink quiet href={`/w/${workspace}/teams/${id}`}>{name}</PlaceLink>
              </span>
              {error !== null && <p className="type-note text-3">{t.hidden}</p>}
              {data !== undefined && (
                <ul className={`grid gap-4 ${styles.parts}`}>
                  <Line name={t.pool} cents={data.balance_cents} />
                  {data.allocated_cents !== 0 && (
                    <Allocations workspace={workspace} team={id} name={name} cents={data.allocated_cents} />
                  )}
                </ul>
              )}
            </li>
          )
        })}
        {known.length === teams.length && (
          <li className="flex justify-between gap-8 pt-8 border-t weight-strong">
            <span>{every.length > shown ? t.shown(shown, every.length) : t.total}</span>
            <Money cents={sum([balance.balance_cents, ...known])} end />
          </li>
        )}
      </ul>
      {every.length > shown && (
        <p className="mt-12">
          <Button size="small" onClick={() => setShown(shown + teamsAtOnce)}>{t.more}</Button>
        </p>
      )}
    </Panel>
  )
}

const Line = ({ cents, name }: { readonly name: ReactNode; readonly cents: number }) => (
  <li className="flex items-baseline justify-between gap-8">
    <span className="min-w-0 text-2 wrap-anywhere">{name}</span>
    <Money cents={cents} end />
  </li>
)

interface AllocationsProps {
  readonly workspace: string
  readonly team: string
  readonly name: string
  readonly cents: number
}

/** One line, or one for each person. */
const Allocations = ({ cents, name, team, workspace }: AllocationsProps) => {
  const t = moneyText.split
  const [open, setOpen] = useState(false)
  const members = useQuery({ ...allTeamMembers(workspace, team), enabled: open }).data
  const people = (members ?? []).flatMap(({ allocation, email, name, user_id }) =>
    allocation === null ? [] : [{ user_id, name: memberName({ email, name }), cents: allocation.balance_cents }]
  )
  const what = open && members !== undefined ? t.allocations(people.length) : t.allocated
  return (
    <>
      <li className="flex items-baseline justify-between gap-8">
        <Button
          size="small"
          variant="bare"
          aria-expanded={open}
          aria-label={t.show(what, name)}
          onClick={() => setOpen(!open)}
        >
          {what}
        </Button>
        <Money cents={cents} end />
      </li>
      {open && people.length > 0 && (
        <li>
          <ul className={`grid gap-4 text-3 ${styles.parts}`}>
            {people.map((person) => <Line key={person.user_id} name={person.name} cents={person.cents} />)}
          </ul>
        </li>
      )}
    </>
  )
}
