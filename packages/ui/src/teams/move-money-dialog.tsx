/**
 * Moves money between a wallet and the one below it: the workspace's wallet and a pool, or a pool and an allocation. An
 * intent keeps its key over all attempts, so that it moves once.
 */
import type { HubError } from "@countersign/hub-client/error"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/fields.tsx"
import { amountCentsMax, formatMoney } from "../components/money-text.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { showToast } from "../components/toast.tsx"
import { balanceQuery, type Team, teamBudgetQuery, type TeamMember } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { memberName } from "../patterns/member-name.ts"
import { teamsText } from "../text/teams.ts"

type Direction = "allocate" | "return"

interface Side {
  readonly name: string
  /** Undefined while it is being read. */
  readonly available: number | undefined
}

interface Transfer {
  readonly amount_cents: number
  readonly direction: Direction
}

interface MoveMoneyProps {
  readonly title: string
  readonly what: string
  /** Shown for the first transfer, which opens the wallet below. */
  readonly first: string | undefined
  readonly directions: Readonly<Record<Direction, string>>
  readonly above: Side
  readonly below: Side
  readonly call: {
    readonly error: HubError | null
    readonly isPending: boolean
    readonly reset: () => void
  }
  readonly onMove: (transfer: Transfer) => void
  readonly onClose: () => void
}

const shortBy = (error: HubError | null): number | undefined => {
  const available = error?.code === "insufficient_balance" ? error.data["available_cents"] : undefined
  return typeof available === "number" ? available : undefined
}

const MoveMoney = ({ above, below, call, directions, first, onClose, onMove, title, what }: MoveMoneyProps) => {
  const t = teamsText.move
  const [direction, setDirection] = useState<Direction>("allocate")
  const [cents, setCents] = useState<number>()
  const [tried, setTried] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  // A double click can be faster than the render that disables the button.
  const isSent = useRef(false)
  useEffect(() => {
    if (!call.isPending) isSent.current = false
  }, [call.isPending])
  const [source, target] = direction === "allocate" ? [above, below] : [below, above]
  const refused = shortBy(call.error)
  // What the hub answered last counts more than what was read before.
  const available = refused ?? source.available
  const isShort = available !== undefined && cents !== undefined && cents > available
  const change = (next: number | undefined) => {
    call.reset()
    setCents(next)
  }
  return (
    <FormDialog
      title={title}
      description={what}
      width="narrow"
      initialFocus={field}
      act={cents === undefined || cents === 0 ? t.confirmEmpty : t.confirm(formatMoney(cents))}
      call={call}
      failed={refused === undefined ? t.failed : undefined}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (cents === undefined || cents === 0 || isShort || isSent.current) return
        isSent.current = true
        onMove({ amount_cents: cents, direction })
      }}
    >
      <RadioGroup
        label={t.direction}
        value={direction}
        onChange={(next) => {
          call.reset()
          setDirection(next)
        }}
        options={(["allocate", "return"] as const).map((value) => ({ value, text: directions[value] }))}
      />
      <MoneyField
        ref={field}
        label={t.amount}
        value={cents}
        onChange={change}
        invalidText={t.invalid}
        exceededText={t.tooMuch(formatMoney(amountCentsMax))}
        required
        path="amount_cents"
        error={isShort
          ? t.short(formatMoney(available), source.name)
          : cents === 0
          ? t.tooLittle
          : tried && cents === undefined
          ? t.invalid
          : undefined}
        description={available === undefined || isShort
          ? undefined
          : cents === undefined || cents === 0 || target.available === undefined
          ? t.now(source.name, formatMoney(available))
          : t.after(
            source.name,
            formatMoney(available - cents),
            target.name,
            formatMoney(target.available + cents)
          )}
      />
      {available !== undefined && available > 0 && (
        <div>
          <Button size="small" onClick={() => change(Math.min(available, amountCentsMax))}>
            {t.all(formatMoney(available))}
          </Button>
        </div>
      )}
      {first !== undefined && direction === "allocate" && <p className="type-note text-2">{first}</p>}
    </FormDialog>
  )
}

interface MovePoolMoneyProps {
  readonly team: Team
  readonly onClose: () => void
}

/** Between the workspace's wallet and the pool. */
export const MovePoolMoney = ({ onClose, team }: MovePoolMoneyProps) => {
  const t = teamsText.move
  const workspace = useWorkspaceId()
  const wallet = useQuery(balanceQuery(workspace)).data
  const pool = useQuery(teamBudgetQuery(workspace, team.id)).data
  const move = useAct("teams.moveBudget", {
    workspace,
    keyed: true,
    touches: ["teams", "ledger", "audit"],
    onDone: (_, { payload: { amount_cents: cents, direction } }) => {
      showToast({ text: t.done(formatMoney(cents), direction === "allocate" ? t.pool : t.wallet) })
      onClose()
    }
  })
  return (
    <MoveMoney
      title={t.poolTitle(team.name)}
      what={t.poolWhat}
      first={pool?.opened === false ? t.firstPool : undefined}
      directions={{ allocate: t.toPool, return: t.fromPool }}
      above={{ name: t.wallet, available: wallet?.available_cents }}
      below={{ name: t.pool, available: pool?.available_cents }}
      call={move}
      onMove={(payload) => move.mutate({ params: { id: team.id }, payload })}
      onClose={onClose}
    />
  )
}

interface MoveMemberMoneyProps extends MovePoolMoneyProps {
  readonly member: TeamMember
}

/** Between the pool and an allocation. */
export const MoveMemberMoney = ({ member, onClose, team }: MoveMemberMoneyProps) => {
  const t = teamsText.move
  const workspace = useWorkspaceId()
  const pool = useQuery(teamBudgetQuery(workspace, team.id)).data
  const move = useAct("teams.allocate", {
    workspace,
    keyed: true,
    touches: ["teams", "ledger", "audit"],
    onDone: (_, { payload: { amount_cents: cents, direction } }) => {
      showToast({ text: t.done(formatMoney(cents), direction === "allocate" ? t.allocation : t.pool) })
      onClose()
    }
  })
  return (
    <MoveMoney
      title={t.memberTitle(memberName(member))}
      what={t.memberWhat}
      first={member.allocation === null ? t.firstAllocation : undefined}
      directions={{ allocate: t.toMember, return: t.fromMember }}
      above={{ name: t.pool, available: pool?.available_cents }}
      below={{ name: t.allocation, available: member.allocation?.available_cents ?? 0 }}
      call={move}
      onMove={(payload) => move.mutate({ params: { id: team.id, uid: member.user_id }, payload })}
      onClose={onClose}
    />
  )
}
