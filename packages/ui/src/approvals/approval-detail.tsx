/** One approval in the order of a decision: agent, action, amount, remaining limits, and expiry. */
import { useQuery } from "@tanstack/react-query"
import { Expand, Pencil, Stamp } from "lucide-react"
import { Suspense, useEffect, useRef, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { isRemoved, KeptBody } from "../app/kept-body.tsx"
import { useKey, useKeyCaps } from "../app/keys.ts"
import { PendingOverlay } from "../app/pending-overlay.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { useMe, useWorkspaces } from "../app/session.ts"
import { IconButton } from "../components/icon-button.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { approvalQuery, serviceQuery } from "../hub/queries.ts"
import { useConnection, useMayAct } from "../live/connection.ts"
import { coveredIn, EndMark, scrollerOf } from "../patterns/end-mark.tsx"
import { PayloadView, type PayloadViewMode } from "../patterns/payload-view.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { useTicking } from "../patterns/ticking.ts"
import { approvalText as t } from "../text/approvals.ts"
import { Phrase } from "../text/catalogue.ts"
import styles from "./approval-detail.module.css"
import { ApprovalFoot } from "./approval-foot.tsx"
import { ApprovalHead } from "./approval-head.tsx"
import { ApprovalLimits, isOverLimits } from "./approval-limits.tsx"
import { ApprovalMarks, ApprovalPast, ApprovalPeople } from "./approval-past.tsx"
import { usePresses } from "./approve-button.tsx"
import { useDecision } from "./decision.ts"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { SpokenApproval } from "./spoken.tsx"
import { useKeyGuard } from "./use-key-guard.ts"
import { isCall, isCommand, isStep, mayDecide, operationOf, payloadTexts, reasonOf, revealTexts } from "./words.ts"

const EditDialog = lazyPart(() => import("./edit-dialog.tsx"))
const PlanView = lazyPart(() => import("./plan-view.tsx"))
const RememberDialog = lazyPart(() => import("./remember-dialog.tsx"))

export interface ApprovalDetailProps {
  /** The id of its workspace. */
  readonly org: string
  readonly id: string
  /** The row from a list: shown at once, then refetched. */
  readonly known?: ApprovalRow | undefined
  readonly view: PayloadViewMode
  readonly onView: (view: PayloadViewMode) => void
  /** Opens another approval of the same workspace, created by an edit. */
  readonly onOpen: (id: string) => void
  /** The link in its head to its own page; absent on that page. */
  readonly ownLink?: (() => void) | undefined
  /** Called with the hub's answer to a decision by keyboard. */
  readonly onDecidedByKey?: ((decided: ApprovalRow) => void) | undefined
  /** Other content that changes beside it without user action, such as the number of new rows. */
  readonly beside?: string
}

/** Definitions of services rarely change, and the inbox opens many approvals of one service. */
const schemaStaleMillis = 300_000

export const ApprovalDetail = (props: ApprovalDetailProps) => {
  const { id, known, org } = props
  const reading = useQuery({ ...approvalQuery(org, id), ...known === undefined ? {} : { placeholderData: known } })
  return (
    <ScreenState query={reading}>
      {reading.data !== undefined && (
        <Shown
          key={id}
          {...props}
          approval={reading.data}
          read={() => void reading.refetch()}
        />
      )}
    </ScreenState>
  )
}

/** The facts that matter to a decision. When they change without user action, shortcuts are disabled for a moment. */
const stateOf = (approval: ApprovalRow): string => {
  const { allowed_decisions, cost_cents, decisions, payload_digest, status } = approval
  // The limits' figures are left out, since every request of the workspace changes them; only their effect on this
  // approval counts.
  return JSON.stringify([
    status,
    payload_digest,
    cost_cents,
    decisions.length,
    allowed_decisions,
    isOverLimits(approval)
  ])
}

interface ShownProps extends ApprovalDetailProps {
  readonly approval: ApprovalRow
  /** Refetches the approval. */
  readonly read: () => void
}

const Shown = ({ approval, beside = "", onDecidedByKey, onOpen, onView, org, ownLink, read, view }: ShownProps) => {
  const me = useMe().user.id
  const workspaces = useWorkspaces()
  const { phase } = useConnection()
  const mayAct = useMayAct()
  const decision = useDecision(approval)
  const [comment, setComment] = useState("")
  const [isRejecting, setRejecting] = useState(false)
  const [dialog, setDialog] = useState<"edit" | "remember">()
  const [hint, setHint] = useState<string>()
  const commentField = useRef<HTMLInputElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const foot = useRef<HTMLElement>(null)
  const isOfDevice = isCommand(approval)
  const isOfAgent = isCall(approval)
  const schema = useQuery({
    ...serviceQuery(org, approval.service ?? ""),
    staleTime: schemaStaleMillis,
    enabled: approval.service !== undefined && isOfAgent
  })
    .data?.operations.find(({ name }) => name === approval.operation)?.payload_schema

  const isOver = useTicking(() => isPending(approval) && hubClock.now() >= Date.parse(approval.expires_at))
  useEffect(() => {
    if (isOver) read()
    // Runs once, on expiry; the approval's event covers the rest.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOver])

  const guard = useKeyGuard(
    `${approval.id} ${approval.payload_digest}`,
    `${stateOf(approval)} ${isOver} ${phase} ${beside}`
  )
  const isOpen = isPending(approval) && !isOver && mayAct
  // Approving requires that the person scrolled to the end of the payload. Undefined until the payload is rendered.
  const [readTo, setReadTo] = useState<"start" | "end">()
  const end = (
    <EndMark
      coveredBy={foot}
      onChange={(isReached) => setReadTo((before) => isReached || before === "end" ? "end" : "start")}
    />
  )
  const scrollOn = () => {
    const scroller = body.current?.firstElementChild == null ? undefined : scrollerOf(body.current.firstElementChild)
    scroller?.scrollBy({ top: (scroller.clientHeight - coveredIn(scroller, foot.current)) * 0.8 })
  }
  const mayApprove = isOpen && mayDecide(approval, "approve") && !decision.isAsking
  const canApprove = mayApprove && readTo === "end"
  const canReject = isOpen && mayDecide(approval, "reject") && !decision.isAsking
  const afterKey: Parameters<typeof decision.send>[1] = (answer) => onDecidedByKey?.(answer.approval)
  const presses = usePresses(
    `${approval.payload_digest} ${stateOf(approval)}`,
    approval.cost_cents,
    (byKey) => decision.send({ decision: "approve", comment: comment.trim() }, byKey ? afterKey : undefined)
  )
  const reject = (byKey: boolean) => {
    setRejecting(false)
    decision.send({ decision: "reject", comment: comment.trim() }, byKey ? afterKey : undefined)
  }
  const guarded = (act: () => void) => () => {
    if (!guard.mayAct()) return setHint(t.foot.notYet)
    setHint(undefined)
    act()
  }
  const beginReject = () => {
    setRejecting(true)
    commentField.current?.focus()
  }
  useEffect(() => {
    if (guard.isLive) setHint((current) => current === t.foot.notYet ? undefined : current)
  }, [guard.isLive])

  const approveCaps = useKeyCaps("decide.approve")
  const canRemember = canApprove && approval.required_approvals === 1 && isOfAgent
  const canEdit = canReject && isOfAgent
  useKey("decide.approve", guarded(() => presses.press(true)), {
    when: mayApprove,
    hold: {
      begin: () => {
        if (readTo !== "end") {
          scrollOn()
          return false
        }
        if (!guard.mayAct()) setHint(t.foot.notYet)
        return guard.mayAct()
      },
      onShort: () => setHint(t.foot.holdKey((approveCaps ?? []).join(" ")))
    }
  })
  useKey("decide.reject", guarded(beginReject), { when: canReject })
  useKey("decide.edit", () => setDialog("edit"), { when: canEdit })
  useKey("decide.standing", () => setDialog("remember"), { when: canRemember })
  useKey("view.form", () => onView("form"))
  useKey("view.json", () => onView("json"))
  useKey("view.diff", () => onView("diff"), { when: approval.previous !== undefined && isOfAgent })
  useCommands([
    ...canReject
      ? [{ id: "approval.reject", text: t.foot.reject, run: beginReject, key: "decide.reject" as const }]
      : [],
    ...canEdit
      ? [{ id: "approval.edit", text: t.edit.title, run: () => setDialog("edit"), key: "decide.edit" as const }]
      : [],
    ...canRemember
      ? [{
        id: "approval.remember",
        text: t.remember.title,
        run: () => setDialog("remember"),
        key: "decide.standing" as const
      }]
      : [],
    ...ownLink === undefined ? [] : [{ id: "approval.page", text: t.ownLink, run: ownLink }]
  ])
  const caps = {
    form: useKeyCaps("view.form"),
    json: useKeyCaps("view.json"),
    diff: useKeyCaps("view.diff"),
    edit: useKeyCaps("decide.edit"),
    remember: useKeyCaps("decide.standing")
  }

  return (
    <article
      className={`flex flex-col container-inline min-w-0 ${styles.detail}`}
      aria-label={t.title(approval.agent.name, operationOf(approval))}
    >
      {/* A separate name for each approval: the router must not restore another scroll position. */}
      <div ref={body} className={`grid gap-24 ${styles.body}`} data-scroll-restoration-id={approval.id}>
        <ApprovalHead
          approval={approval}
          status={isOver ? "expired" : approval.status}
          workspaceName={workspaces.length > 1 ? workspaces.find(({ id }) => id === org)?.name : undefined}
          actions={
            <>
              {canEdit && (
                <IconButton
                  label={t.edit.title}
                  icon={<Pencil size={16} />}
                  keys={caps.edit}
                  onClick={() => setDialog("edit")}
                />
              )}
              {canRemember && (
                <IconButton
                  label={t.remember.title}
                  icon={<Stamp size={16} />}
                  keys={caps.remember}
                  onClick={() => setDialog("remember")}
                />
              )}
              {ownLink !== undefined && <IconButton label={t.ownLink} icon={<Expand size={16} />} onClick={ownLink} />}
            </>
          }
        />
        <div className={`grid gap-16 ${styles.columns}`}>
          <div className={styles.asked}>
            {isOfAgent && <ApprovalMarks approval={approval} onDiff={() => onView("diff")} />}
            <p className={`grid gap-2 type-body wrap-anywhere ${styles.why}`}>
              <span className="type-label text-3">{isOfDevice ? t.command.why : t.reason}</span>
              <RevealedText
                text={isOfDevice ? approval.request_reason ?? t.command.noWhy : reasonOf(approval, t)}
                texts={revealTexts(t)}
              />
            </p>
            <Panel title={isOfDevice ? t.command.plan : t.payload} level={3} className={styles.payload}>
              {isOfDevice
                ? (
                  <Suspense>
                    <PlanView approval={approval} view={view} onView={onView} keys={caps} end={end} />
                  </Suspense>
                )
                : (
                  <KeptBody value={approval.payload} workspace={approval.org_id} ofDevice={isOfDevice}>
                    <PayloadView
                      payload={approval.payload}
                      schema={schema}
                      previous={approval.previous?.payload}
                      previousNote={approval.previous === undefined
                        ? undefined
                        : (
                          <Phrase
                            text={t.previousNote}
                            time={<RelativeTime at={approval.previous.decided_at} now={hubClock.now} />}
                          />
                        )}
                      view={view}
                      onView={onView}
                      keys={caps}
                      end={end}
                      texts={payloadTexts(t)}
                    />
                  </KeptBody>
                )}
              {!isOfDevice && isRemoved(approval.payload) && end}
            </Panel>
          </div>
          {isOfAgent && (
            <div className={styles.limits}>
              <ApprovalLimits approval={approval} />
            </div>
          )}
          <div className={`grid gap-16 min-w-0 ${styles.beside}`}>
            {!isStep(approval) && <ApprovalPast approval={approval} />}
            <ApprovalPeople approval={approval} me={me} />
          </div>
        </div>
      </div>
      <ApprovalFoot
        ref={foot}
        approval={approval}
        decision={decision}
        presses={presses}
        isOver={isOver}
        readTo={readTo}
        keysLive={guard.isLive}
        comment={comment}
        onComment={setComment}
        commentField={commentField}
        isRejecting={isRejecting}
        onRejecting={setRejecting}
        onReject={reject}
        onOpen={onOpen}
        hint={hint}
        onHint={setHint}
        me={me}
      />
      <SpokenApproval approval={approval} />
      <Suspense fallback={<PendingOverlay onCancel={() => setDialog(undefined)} />}>
        {dialog === "edit" && (
          <EditDialog
            approval={approval}
            schema={schema}
            onClose={() => setDialog(undefined)}
            onFiled={(next) => {
              setDialog(undefined)
              if (next !== undefined) onOpen(next)
            }}
          />
        )}
        {dialog === "remember" && (
          <RememberDialog
            approval={approval}
            schema={schema}
            decision={decision}
            comment={comment}
            onClose={() => setDialog(undefined)}
          />
        )}
      </Suspense>
    </article>
  )
}
