/**
 * The confirmation window: requester, operation, amount, remaining budget, and expiry. The reject button has the focus,
 * and Escape rejects. The approve button is disabled until the main process enables it, counted from when the window
 * was shown, and only a press that began on it counts. Spec: reference/desktop.md "E10: approvals and credentials".
 */
import { Button } from "@countersign/ui/components/button.tsx"
import { formatMoney } from "@countersign/ui/components/money-text"
import { Clock } from "@countersign/ui/patterns/clock.tsx"
import { RevealedText } from "@countersign/ui/patterns/revealed-text.tsx"
import { Seal } from "@countersign/ui/patterns/seal.tsx"
import type { TimeLeft } from "@countersign/ui/patterns/time-left"
import { payloadText } from "@countersign/ui/text/payload"
import { type ReactNode, useEffect, useId, useRef, useState } from "react"
import type { ConfirmBridge, ConfirmFacts, ConfirmRemembered, ConfirmRow } from "../../bridge/contract.ts"
import styles from "./confirm.module.css"
import { useDeliberatePress } from "./deliberate-press.ts"
import { confirmText as t } from "./text.ts"

type Texts = typeof t
type Of<K> = Extract<ConfirmFacts, { readonly kind: K }>

const Revealed = ({ text }: { readonly text: string }) => <RevealedText text={text} texts={payloadText} />

const sentence = (t: Texts, { device, what, who }: ConfirmRow): string =>
  what === undefined ? t.decision(who) : device === undefined ? t.call(who, what) : t.run(who, device, what)

const leftWords = (t: Texts) => ({ count, unit }: TimeLeft): string =>
  unit === "over" ? t.left.over : t.left[unit](count)

const Until = ({ until }: { readonly until: number }) => {
  return <Clock until={new Date(until).toISOString()} now={Date.now} text={leftWords(t)} />
}

const Fields = ({ fields, left_out }: Pick<ConfirmRow, "fields" | "left_out">) => {
  return (
    <>
      {fields.length === 0 && <p className={styles.note}>{t.nothing}</p>}
      <dl className={styles.fields}>
        {fields.map(({ label, text }, at) => (
          <div key={at} className={styles.field}>
            {label !== "" && (
              <dt className={styles.label}>
                <Revealed text={label} />
              </dt>
            )}
            <dd className={styles.value} data-hidden={text === null || undefined}>
              {text === null ? t.hidden : <Revealed text={text} />}
            </dd>
          </div>
        ))}
      </dl>
      {left_out > 0 && <p className={styles.cut}>{t.leftOut(left_out)}</p>}
    </>
  )
}

const One = ({ row, total }: { readonly row: ConfirmRow; readonly total: number }) => {
  return (
    <>
      <dl className={styles.fields}>
        <div className={styles.field}>
          <dt className={styles.label}>{t.workspace}</dt>
          <dd className={styles.words}>
            <Revealed text={row.workspace} />
          </dd>
        </div>
        {total !== row.cost_cents && (
          <div className={styles.field}>
            <dt className={styles.label}>{t.own}</dt>
            <dd className={styles.words}>{formatMoney(row.cost_cents)}</dd>
          </div>
        )}
      </dl>
      <Fields {...row} />
    </>
  )
}

const Row = ({ row }: { readonly row: ConfirmRow }) => {
  return (
    <li className={styles.row}>
      <div className={styles.rowHead}>
        <h2 className={styles.rowTitle}>
          <Revealed text={sentence(t, row)} />
        </h2>
        <span className={styles.rowAmount}>{formatMoney(row.cost_cents)}</span>
      </div>
      <p className={styles.rowFacts}>
        <Seal digest={row.digest} label={t.seal} />
        <span>
          <Revealed text={row.workspace} />
        </span>
        <Until until={row.expires_at} />
      </p>
      <Fields {...row} />
    </li>
  )
}

const rememberedWords = (t: Texts, { max_cost_cents, max_total_cents, max_uses }: ConfirmRemembered): string => {
  const most = formatMoney(max_cost_cents)
  if (max_total_cents !== undefined) return t.rememberedTotal(most, formatMoney(max_total_cents))
  return max_uses === undefined ? t.rememberedEach(most) : t.rememberedUses(most, max_uses)
}

interface Asked {
  readonly title: string
  readonly until?: number
  readonly body: ReactNode
  readonly amount?: string
  readonly notes: ReadonlyArray<string>
  readonly seal?: string
  readonly no: string
  readonly yes: string
}

const approveAsked = (t: Texts, { left_cents, limit_cents, remembered, rows, total_cents }: Of<"approve">): Asked => {
  const one = rows.length === 1 ? rows[0] : undefined
  return {
    title: one === undefined ? t.many(rows.length) : sentence(t, one),
    until: Math.min(...rows.map(({ expires_at }) => expires_at)),
    body: one === undefined
      ? <ol className={styles.rows}>{rows.map((row) => <Row key={row.id} row={row} />)}</ol>
      : <One row={one} total={total_cents} />,
    amount: formatMoney(total_cents),
    notes: [
      `${t.limit(formatMoney(limit_cents))}${left_cents === undefined ? "" : ` ${t.after(formatMoney(left_cents))}`}`,
      ...remembered === undefined ? [] : [rememberedWords(t, remembered)]
    ],
    ...one === undefined ? {} : { seal: one.digest },
    no: t.no,
    yes: t.yes
  }
}

const limitAsked = (t: Texts, { after_cents, before_cents }: Of<"limit">): Asked => ({
  title: after_cents === null ? t.removeTitle : t.raiseTitle,
  body: (
    <>
      <dl className={styles.fields}>
        {[[t.before, formatMoney(before_cents)], [t.then, after_cents === null ? t.noLimit : formatMoney(after_cents)]]
          .map(([label, text]) => (
            <div key={label} className={styles.field}>
              <dt className={styles.label}>{label}</dt>
              <dd className={styles.figure}>{text}</dd>
            </div>
          ))}
      </dl>
      <p className={styles.note}>{t.raiseLead}</p>
    </>
  ),
  notes: [],
  no: t.keep,
  yes: after_cents === null ? t.remove : t.raise
})

export interface ConfirmAppProps {
  readonly bridge: ConfirmBridge
  readonly facts: ConfirmFacts
}

export const ConfirmApp = ({ bridge, facts }: ConfirmAppProps) => {
  const { amount, body, no, notes, seal, title, until, yes } = facts.kind === "limit"
    ? limitAsked(t, facts)
    : approveAsked(t, facts)
  const [heading, hint] = [useId(), useId()]
  const [isLive, setLive] = useState(false)
  const [problem, setProblem] = useState<string>()
  const refuse = useRef<HTMLButtonElement>(null)

  const answer = async (isYes: boolean) => {
    try {
      const result = await bridge.answer({ yes: isYes })
      if (result.ok && result.value.refusal === null) return
      setProblem(result.ok ? t.tooSoon : t.broken)
    } catch {
      setProblem(t.broken)
    }
    refuse.current?.focus()
  }
  const noPress = useDeliberatePress(() => void answer(false))
  const yesPress = useDeliberatePress(() => void answer(true), isLive)

  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    refuse.current?.focus()
    void bridge.ready().then((result) => setLive(result.ok), () => {})
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === "Escape") void bridge.answer({ yes: false }).catch(() => {})
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [bridge])

  return (
    <main className={styles.confirm} aria-labelledby={heading}>
      <header className={styles.head}>
        <div className={styles.facts}>
          <p className={styles.hub}>
            <Revealed text={t.on(facts.hub.name, facts.hub.url)} />
          </p>
          {until !== undefined && <Until until={until} />}
        </div>
        <h1 id={heading} className={styles.title}>
          <Revealed text={title} />
        </h1>
      </header>
      <div className={styles.body} role="region" aria-label={t.asked} tabIndex={0}>{body}</div>
      <footer className={styles.foot}>
        {amount !== undefined && <p className={styles.amount}>{amount}</p>}
        {notes.map((note) => <p key={note} className={styles.note}>{note}</p>)}
        <p id={hint} className={styles.hint} role="status" data-problem={problem !== undefined || undefined}>
          {problem ?? (isLive ? "" : t.wait)}
        </p>
        <div className={styles.acts}>
          {seal !== undefined && <Seal digest={seal} label={t.seal} />}
          <Button ref={refuse} keys={["Esc"]} {...noPress}>{no}</Button>
          <Button variant="primary" disabled={!isLive} aria-describedby={hint} {...yesPress}>{yes}</Button>
        </div>
      </footer>
    </main>
  )
}
