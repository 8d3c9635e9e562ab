/** The hub's promo codes: a list, a form for a new one, and deletion. */
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { MoneyField, NumberField } from "../components/fields.tsx"
import { MenuItem } from "../components/menu.tsx"
import { amountCentsMax, formatMoney } from "../components/money-text.ts"
import { TextField } from "../components/text-field.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type PromoCode, promoPages } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import { dayAfter, dayOf } from "../listing/period.ts"
import { RowMenu } from "../listing/row-menu.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { figure } from "../text/catalogue.ts"
import { moneyText } from "../text/money.ts"

const endOf = ({ expires_at, max_redemptions, redemptions }: PromoCode): "used" | "expired" | undefined =>
  max_redemptions !== undefined && redemptions >= max_redemptions
    ? "used"
    : expires_at !== undefined && Date.parse(expires_at) <= hubClock.now()
    ? "expired"
    : undefined

export const PromoCodesPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = moneyText.codes
  const mayAct = useMayAct()
  const held = useHeldRows<PromoCode>(promoPages(workspace))
  const [creating, setCreating] = useState(false)
  const [removing, setRemoving] = useState<PromoCode>()
  const create = (
    <Button size="small" disabled={!mayAct} onClick={() => setCreating(true)}>
      {t.act}
    </Button>
  )
  const columns: ReadonlyArray<Column<PromoCode>> = [
    {
      id: "code",
      head: t.columns.code,
      width: "minmax(140px, 1.4fr)",
      narrow: "lead",
      cell: (row) => {
        const end = endOf(row)
        return (
          <span className="inline-flex items-center gap-8 min-w-0">
            <code className="type-mono truncate">{row.code}</code>
            {end !== undefined && <Badge glyph={<StatusGlyph look="expired" />}>{t[end]}</Badge>}
          </span>
        )
      }
    },
    {
      id: "redemptions",
      head: t.columns.redemptions,
      width: "112px",
      end: true,
      narrow: "underTrail",
      cell: ({ max_redemptions, redemptions }) =>
        max_redemptions === undefined ? figure(redemptions) : t.of(redemptions, max_redemptions)
    },
    {
      id: "expires",
      head: t.columns.expires,
      width: "140px",
      narrow: "under",
      cell: ({ expires_at }) =>
        expires_at === undefined
          ? <span className="text-3">{t.never}</span>
          : <RelativeTime at={expires_at} now={hubClock.now} />
    },
    {
      id: "created",
      head: t.columns.created,
      width: "140px",
      from: 720,
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    },
    {
      id: "amount",
      head: t.columns.amount,
      width: "116px",
      end: true,
      narrow: "trail",
      cell: ({ amount_cents }) => <Money cents={amount_cents} end />
    }
  ]
  return (
    <ListFrame
      filters={
        <div className="flex flex-wrap items-center justify-between gap-8 px-16 py-8">
          <p className="type-note text-2">{t.about}</p>
          {create}
        </div>
      }
    >
      <HubTable
        endpoint="promo.list"
        workspace={workspace}
        held={held}
        label={t.list}
        columns={columns}
        rowMenu={(row) => (
          <RowMenu label={t.menu(row.code)}>
            {() => <MenuItem danger disabled={!mayAct} onSelect={() => setRemoving(row)}>{t.remove}</MenuItem>}
          </RowMenu>
        )}
        empty={{ text: t.empty }}
        noMatch={t.empty}
        onClear={undefined}
      />
      {creating && <CreateCodeDialog workspace={workspace} onClose={() => setCreating(false)} />}
      {removing !== undefined && (
        <DeleteCodeDialog
          workspace={workspace}
          code={removing.code}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </ListFrame>
  )
}

const codePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u
const codeMax = 64
const redemptionsMax = 1_000_000_000

interface DialogProps {
  readonly workspace: string
  readonly onClose: () => void
}

const CreateCodeDialog = ({ onClose, workspace }: DialogProps) => {
  const { create: t } = moneyText.codes
  const { topUp } = moneyText
  const [code, setCode] = useState("")
  const [cents, setCents] = useState<number>()
  const [max, setMax] = useState<number>()
  const [last, setLast] = useState("")
  const [tried, setTried] = useState(false)
  const create = useAct("promo.create", {
    workspace,
    touches: ["promo", "audit"],
    done: (made) => t.done(made.code),
    onDone: onClose
  })
  const isCode = codePattern.test(code.trim())
  const isPast = last !== "" && last < dayOf(hubClock.now())
  const isAmount = cents !== undefined && cents >= 1
  const submit = () => {
    setTried(true)
    if (!isCode || !isAmount || isPast) return
    create.mutate({
      payload: {
        code: code.trim(),
        amount_cents: cents,
        ...max === undefined ? {} : { max_redemptions: max },
        ...last === "" ? {} : { expires_at: `${dayAfter(last)}T00:00:00Z` }
      }
    })
  }
  return (
    <FormDialog
      title={t.title}
      width="narrow"
      act={moneyText.codes.act}
      call={create}
      failed={t.failed}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={t.code}
        description={t.codeAbout}
        value={code}
        onChange={setCode}
        maxLength={codeMax}
        mono
        required
        path="code"
        error={(tried || code !== "") && !isCode ? t.wrongCode : undefined}
      />
      <MoneyField
        label={t.amount}
        description={t.amountAbout}
        value={cents}
        onChange={setCents}
        invalidText={topUp.wrong}
        exceededText={topUp.tooMuch(formatMoney(amountCentsMax))}
        required
        path="amount_cents"
        error={cents === 0 ? topUp.tooLittle : tried && cents === undefined ? topUp.wrong : undefined}
      />
      <NumberField
        label={t.max}
        aside={topUp.optional}
        description={t.maxAbout}
        value={max}
        onChange={setMax}
        min={1}
        max={redemptionsMax}
        invalidText={t.wrongMax}
        path="max_redemptions"
      />
      <TextField
        label={t.last}
        aside={topUp.optional}
        description={t.lastAbout}
        type="date"
        max="9999-12-31"
        value={last}
        onChange={setLast}
        path="expires_at"
        error={isPast ? t.past : undefined}
      />
    </FormDialog>
  )
}

const DeleteCodeDialog = ({ code, onClose, workspace }: DialogProps & { readonly code: string }) => {
  const { deletion: t } = moneyText.codes
  const remove = useAct("promo.remove", {
    workspace,
    touches: ["promo", "audit"],
    done: t.done(code),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(code)}
      description={t.what}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { code } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}
