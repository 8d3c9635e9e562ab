/** Several at once: their total before, the result of each after. One that fails stops no other. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type KeyboardEvent, useId, useRef, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { formatMoney } from "../components/money-text.ts"
import { TextField } from "../components/text-field.tsx"
import type { Output } from "../hub/contract.ts"
import type { HubError } from "../hub/error.ts"
import { hubOf } from "../hub/queries.ts"
import { useStepUp } from "../hub/step-up.ts"
import { touch } from "../hub/touch.ts"
import { useMayAct } from "../live/connection.ts"
import { Money } from "../patterns/money.tsx"
import { Seal } from "../patterns/seal.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { approvalText } from "../text/approvals.ts"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import { ApproveButton, confirmCaps, isConfirming, usePresses } from "./approve-button.tsx"
import styles from "./dialogs.module.css"
import { type ApprovalRow, isWaiting } from "./inbox-rows.ts"
import { batchMax } from "./limits-of-contract.ts"
import { type ApprovalText, mayDecide, nameOf, operationOf, personOf } from "./words.ts"

type Result = Output<"approvals.decide">["results"][number]

/** By this decision, not by one that was quicker. */
const wasApproved = (result: Result | undefined): boolean => result?.error === undefined && result?.status === "approved"
type Which = "approve" | "reject"

export interface BatchDialogProps {
  readonly rows: ReadonlyArray<ApprovalRow>
  readonly workspaces: ReadonlyArray<{ readonly id: string; readonly name: string }>
  readonly onClose: () => void
  /** Those that wait no more. */
  readonly onDone: (ids: ReadonlyArray<string>) => void
}

const sumOf = (rows: ReadonlyArray<ApprovalRow>): number => rows.reduce((sum, { cost_cents }) => sum + cost_cents, 0)

/** Calls for the approvals of each workspace, none with more than the hub takes. */
const partsOf = (rows: ReadonlyArray<ApprovalRow>): ReadonlyArray<readonly [org: string, rows: ReadonlyArray<ApprovalRow>]> =>
  [...Map.groupBy(rows, ({ org_id }) => org_id)].flatMap(([org, of]) =>
    Array.from({ length: Math.ceil(of.length / batchMax) }, (_, at) =>
      [org, of.slice(at * batchMax, (at + 1) * batchMax)] as const))

export const BatchDialog = ({ onClose, onDone, rows: picked, workspaces }: BatchDialogProps) => {
  const t = useText(approvalText)
  const words = t.batch
  const acts = useText(actText)
  const queries = useQueryClient()
  const stepUp = useStepUp()
  const mayAct = useMayAct()
  const hintId = useId()
  const start = useRef<HTMLDivElement>(null)
  // What was drawn is what is decided, whatever arrives meanwhile.
  const [rows] = useState(() => picked.filter((row) => isWaiting(row) && mayDecide(row, "reject")))
  const leftOut = picked.length - rows.length
  const [comment, setComment] = useState("")
  const [hint, setHint] = useState<string>()
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  const names = new Map(workspaces.map(({ id, name }) => [id, name]))

  const ask = async (which: Which, asked: ReadonlyArray<ApprovalRow>): Promise<ReadonlyArray<Result>> => {
    const found: Array<Result> = []
    for (const [org, of] of partsOf(asked)) {
      const items = of.map(({ id, payload_digest }) => ({ id, payload_digest }))
      const payload = { items, decision: which, ...comment.trim() === "" ? {} : { comment: comment.trim() } }
      const answer = await hubOf(queries).call("approvals.decide", { payload }, { workspace: org })
      found.push(...answer.results)
      setResults((before) => new Map([...before, ...answer.results.map((result) => [result.id as string, result] as const)]))
    }
    return found
  }
  const decide = useMutation<void, HubError, Which>({
    mutationFn: async (which) => {
      const first = await ask(which, rows)
      const wanting = new Set(first.filter(({ error }) => error?.code === "step_up_required").map(({ id }) => id as string))
      const again = wanting.size > 0 && await stepUp() ? await ask(which, rows.filter(({ id }) => wanting.has(id))) : []
      const last = new Map([...first, ...again].map((result) => [result.id as string, result]))
      onDone([...last.values()]
        .filter(({ error }) => error === undefined || error.code === "approval_not_pending")
        .map(({ id }) => id))
    },
    onSettled: () => Promise.all(partsOf(rows).map(([org]) => touch(queries, org, ["approvals"])))
  })

  const isDone = decide.isSuccess
  const approvable = rows.filter((row) => mayDecide(row, "approve"))
  const canApprove = approvable.length === rows.length && rows.length > 0
  const total = sumOf(rows)
  const sum = formatMoney(total)
  const isOff = !mayAct || isDone || rows.length === 0
  const presses = usePresses("batch", total, () => decide.mutate("approve"))
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isConfirming(event) || isOff || !canApprove || decide.isPending) return
    event.preventDefault()
    presses.press()
  }
  const failed = [...results.values()].filter(({ error }) => error !== undefined).length
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      held={decide.isPending}
      initialFocus={start}
      width="wide"
      title={words.title(rows.length)}
      description={words.what}
      closeText={acts.close}
      footer={isDone
        ? <Button variant="primary" onClick={onClose}>{words.done}</Button>
        : (
          <div className={styles.verdicts}>
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
              text={words.approve(rows.length, sum)}
              againText={t.foot.again(sum)}
              isAgain={presses.isAgain}
              keys={confirmCaps}
              pending={decide.isPending && decide.variables === "approve"}
              disabled={isOff || !canApprove}
              describedBy={hintId}
              onPress={presses.press}
              onBareKey={() => setHint(t.foot.pressKey(confirmCaps.join(" ")))}
            />
          </div>
        )}
    >
      <div ref={start} tabIndex={-1} className={styles.form} onKeyDown={onKeyDown}>
        <table className={styles.batch}>
          <thead>
            <tr>
              <th scope="col">{words.columns.what}</th>
              <th scope="col">{words.columns.result}</th>
              <th scope="col" className={styles.end}>{words.columns.cost}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td>
                  <span className={styles.batchWhat}>
                    <b>{row.agent.name}</b>
                    <span>{operationOf(row)}</span>
                    <Seal digest={row.payload_digest} label={t.seal} closed={wasApproved(results.get(row.id))} />
                    {names.size > 1 && <span className={styles.batchPlace}>{names.get(row.org_id)}</span>}
                  </span>
                </td>
                <td className={styles.batchResult}>
                  <ResultCell
                    result={results.get(row.id)}
                    isAsking={decide.isPending}
                    cannot={!mayDecide(row, "approve")}
                    words={t}
                  />
                </td>
                <td className={styles.end}><Money cents={row.cost_cents} end /></td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{words.total}</th>
              <td role="status">{isDone ? words.summary(results.size - failed, failed) : ""}</td>
              <td className={styles.end}><Money cents={total} size="lead" end /></td>
            </tr>
          </tfoot>
        </table>
        {leftOut > 0 && <p className={styles.hint}>{words.leftOut(leftOut)}</p>}
        {!isDone && (
          <TextField
            label={t.foot.comment}
            placeholder={t.foot.commentHint}
            maxLength={2_000}
            value={comment}
            onChange={setComment}
          />
        )}
        <p id={hintId} className={styles.hint} role="status">{mayAct ? hint : t.foot.offline}</p>
        {decide.error !== null && <Problem inline error={decide.error} failed={words.failed} unchanged={words.unchanged} />}
      </div>
    </Dialog>
  )
}

interface ResultCellProps {
  readonly result: Result | undefined
  readonly isAsking: boolean
  readonly cannot: boolean
  readonly words: ApprovalText
}

const ResultCell = ({ cannot, isAsking, result, words: t }: ResultCellProps) => {
  if (result === undefined) return isAsking ? t.batch.state.asking : cannot ? t.batch.cannot : t.batch.state.waiting
  if (result.error !== undefined) {
    const { decided_by, status } = result.error.data ?? {}
    const state = typeof status === "string" ? (t.batch.state as Readonly<Record<string, string>>)[status] ?? status : undefined
    const person = personOf(decided_by)
    const name = person === undefined ? undefined : nameOf(person, t)
    return (
      <span className={styles.failedResult}>
        <StatusBadge status="failed">{state ?? t.status.unknown}</StatusBadge>
        <span>{state !== undefined && name !== undefined ? t.batch.decidedBy(state, name) : result.error.message}</span>
      </span>
    )
  }
  const status = result.status ?? "pending"
  return <StatusBadge status={status}>{status === "pending" ? t.batch.state.added : t.batch.state[status]}</StatusBadge>
}

export default BatchDialog
