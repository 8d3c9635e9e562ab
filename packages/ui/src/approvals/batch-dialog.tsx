/**
 * Decides several approvals at once. It shows the limits' forecast before the decision and each outcome after it. One
 * failure does not stop the others.
 */
import type { HubError } from "@countersign/hub-client/error"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { UndoButton } from "../app/undo-notices.tsx"
import { undoWindow } from "../app/undo-window.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { Dialog } from "../components/dialog.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubOf } from "../hub/query-options.ts"
import { useStepUp } from "../hub/step-up.ts"
import { touch } from "../hub/touch.ts"
import { useMayAct } from "../live/connection.ts"
import { Money } from "../patterns/money.tsx"
import { actText as acts } from "../text/acts.ts"
import { approvalText as t } from "../text/approvals.ts"
import { batchText } from "../text/batch.ts"
import { ApproveButton, confirmCaps, isConfirming, usePresses } from "./approve-button.tsx"
import { BatchRow, BatchTotals, limitName } from "./batch-rows.tsx"
import { type BatchResult, byEnd, endsOf, preflightOf, staysSelected, sumOf, totalsOf } from "./batch.ts"
import { CommentField } from "./comment-field.tsx"
import styles from "./dialogs.module.css"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { batchMax } from "./limits-of-contract.ts"
import { mayDecide } from "./words.ts"

type Which = "approve" | "reject"

export interface BatchDialogProps {
  readonly rows: ReadonlyArray<ApprovalRow>
  readonly workspaces: ReadonlyArray<{ readonly id: string; readonly name: string }>
  readonly onClose: () => void
  /** Approvals without a problem; they leave the selection. */
  readonly onDone: (ids: ReadonlyArray<string>) => void
}

/** One call for each workspace, split at the hub's maximum batch size. */
const partsOf = (
  rows: ReadonlyArray<ApprovalRow>
): ReadonlyArray<readonly [org: string, rows: ReadonlyArray<ApprovalRow>]> =>
  [...Map.groupBy(rows, ({ org_id }) => org_id)].flatMap(([org, of]) =>
    Array.from(
      { length: Math.ceil(of.length / batchMax) },
      (_, at) => [org, of.slice(at * batchMax, (at + 1) * batchMax)] as const
    )
  )

export const BatchDialog = ({ onClose, onDone, rows: picked, workspaces }: BatchDialogProps) => {
  const words = batchText
  const queries = useQueryClient()
  const stepUp = useStepUp()
  const mayAct = useMayAct()
  const hintId = useId()
  const start = useRef<HTMLDivElement>(null)
  // A snapshot of the rows and their digests: later updates do not change it.
  const [rows] = useState(() => picked.filter((row) => isPending(row) && mayDecide(row, "reject")))
  const leftOut = picked.length - rows.length
  const [comment, setComment] = useState("")
  const [hint, setHint] = useState<string>()
  const [results, setResults] = useState<ReadonlyMap<string, BatchResult>>(new Map())
  const [includesBlocked, setIncludesBlocked] = useState(false)
  // The dialog refetches the limits when it opens and follows later updates.
  const [isChecked, setChecked] = useState(false)
  useEffect(() => {
    const read = touch(queries, null, ["approvals.list"])
    void read.catch(() => {}).finally(() => setChecked(true))
  }, [queries])
  const latest = new Map(picked.map((row) => [row.id as string, row]))
  const current = rows.map((row) => {
    const now = latest.get(row.id)
    return now === undefined ? row : { ...row, limits: now.limits, decisions: now.decisions }
  })
  // After the send, the forecast is frozen.
  const [sentWith, setSentWith] = useState<ReturnType<typeof preflightOf>>()
  const preflight = sentWith ?? preflightOf(current.filter((row) => mayDecide(row, "approve")))
  const approving = includesBlocked ? [...preflight.fitting, ...preflight.blocked] : preflight.fitting
  const total = sumOf(rows)
  const sum = formatMoney(sumOf(approving))
  const names = new Map(workspaces.map(({ id, name }) => [id, name]))

  const ask = async (which: Which, asked: ReadonlyArray<ApprovalRow>): Promise<ReadonlyArray<BatchResult>> => {
    const found: Array<BatchResult> = []
    for (const [org, of] of partsOf(asked)) {
      const items = of.map(({ id, payload_digest }) => ({ id, payload_digest }))
      const payload = { items, decision: which, ...comment.trim() === "" ? {} : { comment: comment.trim() } }
      const answer = await hubOf(queries).call("approvals.decide", { payload }, { workspace: org })
      found.push(...answer.results)
      setResults((before) =>
        new Map([...before, ...answer.results.map((result) => [result.id as string, result] as const)])
      )
    }
    return found
  }
  const decide = useMutation<"sent" | "undone", HubError, Which>({
    mutationFn: async (which) => {
      const asked = which === "reject" ? rows : rows.filter(({ id }) => approving.some((row) => row.id === id))
      const text = which === "approve"
        ? words.approving(asked.length, sum)
        : words.rejecting(asked.length, formatMoney(total))
      const isSent = await undoWindow(text).then(() => true, () => false)
      if (!isSent) return "undone"
      setSentWith(preflight)
      const first = await ask(which, asked)
      const wanting = new Set(
        first.filter(({ error }) => error?.code === "step_up_required").map(({ id }) => id as string)
      )
      const again = wanting.size > 0 && await stepUp() ? await ask(which, rows.filter(({ id }) => wanting.has(id))) : []
      const last = new Map([...first, ...again].map((result) => [result.id as string, result]))
      onDone(rows.filter(({ id }) => !staysSelected(last.get(id))).map(({ id }) => id))
      return "sent"
    },
    onSettled: () => Promise.all(partsOf(rows).map(([org]) => touch(queries, org, ["approvals"])))
  })

  const isDone = decide.data === "sent"
  const canApprove = isChecked && approving.length > 0 && rows.every((row) => mayDecide(row, "approve"))
  const isOff = !mayAct || isDone || rows.length === 0
  const presses = usePresses(
    `batch ${approving.map(({ id }) => id).join(" ")}`,
    sumOf(approving),
    () => decide.mutate("approve")
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isConfirming(event) || isOff || !canApprove || decide.isPending) return
    event.preventDefault()
    presses.press()
  }
  const ends = endsOf(rows, results)
  const state = isDone ? "after" : decide.isPending ? "sending" : "before"
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      held={decide.isPending}
      initialFocus={start}
      width="wide"
      title={t.batch.title(rows.length)}
      description={words.what}
      closeText={acts.close}
      footer={isDone
        ? <Button variant="primary" onClick={onClose}>{words.done}</Button>
        : (
          <div className={`flex gap-24 ${styles.verdicts}`}>
            <UndoButton />
            <Button
              variant="danger"
              disabled={isOff}
              pending={decide.isPending && decide.variables === "reject"}
              pendingText={acts.asking}
              onClick={() => decide.mutate("reject")}
            >
              {words.reject(rows.length)}
            </Button>
            <ApproveButton
              text={words.approve(approving.length, sum)}
              againText={t.foot.again(sum)}
              isAgain={presses.isAgain}
              keys={confirmCaps}
              pending={decide.isPending && decide.variables === "approve"}
              disabled={isOff || !canApprove}
              describedBy={hintId}
              onPress={presses.press}
              onBareKey={() => setHint(t.foot.bareEnter(confirmCaps.join(" ")))}
            />
          </div>
        )}
    >
      <div ref={start} tabIndex={-1} className={styles.form} onKeyDown={onKeyDown}>
        {!isDone && (
          <div className={styles.preflight} role="status">
            {!isChecked ? <p>{words.checking}</p> : preflight.blocked.length === 0 ? <p>{words.allFit}</p> : (
              <>
                <p>
                  <b>
                    {words.someFit(
                      preflight.fitting.length,
                      formatMoney(sumOf(preflight.fitting)),
                      preflight.blocked.length
                    )}
                  </b>
                </p>
                <ul>
                  {preflight.limits.map(({ block, cents, count, row }) => (
                    <li key={`${block.limit} ${row.id}`}>
                      {words.overLimit(count, formatMoney(cents), limitName(block.limit, row))}
                    </li>
                  ))}
                </ul>
              </>
            )}
          </div>
        )}
        {!isDone && isChecked && preflight.blocked.length > 0 && (
          <Checkbox
            label={words.include(preflight.blocked.length)}
            description={words.includeWhat}
            checked={includesBlocked}
            onChange={setIncludesBlocked}
          />
        )}
        <table className={styles.batch}>
          <thead>
            <tr>
              <th scope="col">{words.columns.what}</th>
              <th scope="col">{words.columns.result}</th>
              <th scope="col" className={styles.end}>{words.columns.cost}</th>
            </tr>
          </thead>
          <tbody>
            {(isDone ? byEnd(rows, results) : rows).map((row) => (
              <BatchRow
                key={row.id}
                row={row}
                forecast={preflight.of(row)}
                result={results.get(row.id)}
                state={state}
                place={names.size > 1 ? names.get(row.org_id) : undefined}
              />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{words.total}</th>
              <td role="status">{isDone ? words.ends(ends.counts, formatMoney(ends.debited_cents)) : ""}</td>
              <td className={styles.end}>
                <Money cents={total} size="lead" end />
              </td>
            </tr>
          </tfoot>
        </table>
        {!isDone && <BatchTotals totals={totalsOf(rows)} />}
        {leftOut > 0 && <p className={styles.hint}>{words.leftOut(leftOut)}</p>}
        {!isDone && <CommentField value={comment} onChange={setComment} />}
        <p id={hintId} className={styles.hint} role="status">{mayAct ? hint : t.foot.offline}</p>
        {decide.error !== null && (
          <Problem inline error={decide.error} failed={words.failed} unchanged={words.unchanged} />
        )}
      </div>
    </Dialog>
  )
}

export default BatchDialog
