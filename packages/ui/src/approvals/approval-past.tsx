/**
 * History of similar requests: their number, the decisions on them, and whether the same payload was approved before.
 */
import { Link as RouterLink } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Avatar } from "../components/avatar.tsx"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { jsonChanges } from "../patterns/json-diff.ts"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { statusLook } from "../patterns/status.ts"
import { approvalText as texts } from "../text/approvals.ts"
import { Phrase } from "../text/catalogue.ts"
import styles from "./approval-detail.module.css"
import { type ApprovalRow, isPending } from "./inbox-rows.ts"
import { isCommand, nameOf, operationOf } from "./words.ts"

/** Maximum number of changed fields that are named. */
const namesMax = 4
/** The ratio to the median cost from which it is shown. */
const highCostRatio = 2

export const ApprovalPast = ({ approval }: { readonly approval: ApprovalRow }) => {
  const { org_id, recent } = approval
  return (
    <Panel title={texts.past.title} level={3}>
      {recent.decisions.length === 0
        ? <p className={styles.quiet}>{isCommand(approval) ? texts.command.noneBefore : texts.past.none}</p>
        : (
          <ol className={styles.past}>
            {recent.decisions.map((past) => (
              <li key={past.approval_id}>
                <RouterLink
                  className={`grid items-center gap-8 type-body text-1 ${styles.pastRow}`}
                  to="/w/$workspace/approvals/$id"
                  params={{ workspace: org_id, id: past.approval_id }}
                >
                  <span className="inline-grid" role="img" aria-label={texts.past[past.decision]}>
                    <StatusGlyph look={statusLook(past.decision)} toned />
                  </span>
                  <span className={`truncate ${styles.pastWho}`}>{nameOf(past.decided_by, texts)}</span>
                  {past.same_action && <span className="type-note text-2">{texts.past.same}</span>}
                  <span className={`type-note text-3 whitespace-nowrap ${styles.pastTime}`}>
                    <RelativeTime at={past.decided_at} now={hubClock.now} />
                  </span>
                  {!isCommand(approval) && <Money cents={past.cost_cents} end />}
                </RouterLink>
              </li>
            ))}
          </ol>
        )}
      {recent.count_30d > 0 && (
        <p className={styles.quiet}>{texts.past.of(recent.count_30d, recent.approved, recent.rejected)}</p>
      )}
    </Panel>
  )
}

/** Unusual facts of the request, one line each; renders nothing if there are none. */
export const ApprovalMarks = (
  { approval, onDiff }: { readonly approval: ApprovalRow; readonly onDiff: () => void }
) => {
  const t = texts.marks
  const { agent, cost_cents, payload, previous, recent } = approval
  const operation = operationOf(approval)
  const marks: Array<readonly [key: string, text: ReactNode]> = []
  if (previous === undefined) {
    marks.push(["first", (recent.decisions.length === 0 ? t.firstTime : t.neverApproved)(agent.name, operation)])
  }
  if (recent.same_action_approved > 0) {
    const last = recent.decisions.find(({ decision, same_action }) => same_action && decision === "approved")
    marks.push([
      "same",
      last === undefined
        ? t.sameAgainSomeTime(recent.same_action_approved)
        : (
          <Phrase
            text={t.sameAgain(recent.same_action_approved)}
            time={<RelativeTime at={last.decided_at} now={hubClock.now} />}
          />
        )
    ])
  } else if (previous !== undefined) {
    const changed = jsonChanges(previous.payload, payload).filter(({ kind }) => kind !== "same").map(({ path }) => path)
    const names = changed.slice(0, namesMax).join(", ")
    if (changed.length > 0) {
      marks.push([
        "differs",
        (
          <>
            {changed.length > namesMax ? t.differsMore(changed.length, names) : t.differs(changed.length, names)}{" "}
            <Button size="small" variant="bare" onClick={onDiff}>{t.show}</Button>
          </>
        )
      ])
    }
  }
  if (recent.median_cents !== null && recent.median_cents > 0 && cost_cents >= highCostRatio * recent.median_cents) {
    const times = Math.floor(cost_cents / recent.median_cents * 10) / 10
    marks.push(["dear", t.dearer(String(times), formatMoney(recent.median_cents))])
  }
  return marks.length === 0 ? null : (
    <ul className={styles.marks}>
      {marks.map(([key, text]) => <li key={key}>{text}</li>)}
    </ul>
  )
}

/** Maximum number of people that are named. */
const peopleMax = 8

export const ApprovalPeople = ({ approval, me }: { readonly approval: ApprovalRow; readonly me: string }) => {
  const t = texts.people
  const { decided_by, deciders, decisions, required_approvals, status } = approval
  const given = new Set(decisions.filter(({ decision }) => decision === "approve").map(({ user }) => user.id))
  const isOpen = isPending(approval)
  if (status === "approved" && decided_by !== undefined) given.add(decided_by.id)
  const stateOf = (id: string, can: boolean): string =>
    given.has(id)
      ? t.approved
      : status === "rejected" && decided_by?.id === id
      ? t.rejected
      : !isOpen
      ? ""
      : can
      ? t.may
      : t.mayNot
  // Approvers first; the current person before the others.
  const people = [...deciders].sort((a, b) =>
    Number(b.can) - Number(a.can) || Number(b.user.id === me) - Number(a.user.id === me)
  )
  return (
    <Panel title={t.title} level={3}>
      {required_approvals > 1 && (
        <p className="mb-8 type-body">{t.needs(required_approvals)} {t.of(given.size, required_approvals)}.</p>
      )}
      {people.length === 0 ? <p className={styles.quiet}>{t.none}</p> : (
        <ul className={styles.people}>
          {people.slice(0, peopleMax).map(({ can, user }) => (
            <li key={user.id} className={`flex items-center gap-8 type-body ${styles.person}`}>
              <Avatar kind="person" name={nameOf(user, texts)} size={20} />
              <span className="truncate">{nameOf(user, texts)}</span>
              {user.id === me && <span className={styles.quiet}>{t.you}</span>}
              <span className="ms-auto type-note text-3 whitespace-nowrap">{stateOf(user.id, can)}</span>
            </li>
          ))}
        </ul>
      )}
      {people.length > peopleMax && <p className={styles.quiet}>{t.more(people.length - peopleMax)}</p>}
    </Panel>
  )
}
