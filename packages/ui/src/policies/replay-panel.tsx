/** How a policy would have changed past requests, computed by the hub shortly after typing stops. */
import type { Input, Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { fieldProblem } from "../app/field-problem.ts"
import { Link } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Id } from "../components/id.tsx"
import { Select } from "../components/select.tsx"
import { useRested } from "../conditions/use-expression.ts"
import { policyReplay } from "../hub/queries.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { figure } from "../text/catalogue.ts"
import { policiesText } from "../text/policies.ts"
import { requestsText as requests } from "../text/requests.ts"
import styles from "./test-panels.module.css"

const limits = ["50", "200", "1000"] as const
const listedMax = 100

const restMillis = 600

export interface ReplayPanelProps {
  /** The current draft; undefined while it is incomplete. */
  readonly rule: Input<"policies.create">["payload"] | undefined
}

export const ReplayPanel = ({ rule }: ReplayPanelProps) => {
  const t = policiesText.replay
  const [limit, setLimit] = useState<(typeof limits)[number]>("200")
  // The policy's name and message change no outcome.
  const input = useRested(
    rule === undefined ? undefined : { rule: { ...rule, name: t.title, reason: "" }, limit: Number(limit) },
    restMillis
  )
  const workspace = useWorkspaceId()
  const test = useQuery({
    ...policyReplay(workspace, { payload: input ?? { limit: 1 } }),
    enabled: input !== undefined,
    placeholderData: (before) => before
  })
  const { error } = test
  const wrong = fieldProblem(error, "rule", true)
  return (
    <div className="grid gap-12 min-w-0" aria-busy={test.isFetching}>
      <p className="type-note text-2">{t.about}</p>
      <div className={`flex gap-8 ${styles.run}`}>
        <Select
          label={t.limit}
          value={limit}
          onChange={setLimit}
          options={limits.map((value) => ({ value, text: t.limits[value] }))}
        />
      </div>
      {rule === undefined && <p className="type-note text-2">{t.waits}</p>}
      {error !== null
        && (wrong === undefined
          ? <Problem inline error={error} failed={t.failed} unchanged={t.unchanged} />
          : (
            <p role="alert" className="type-note weight-label text-stop wrap-anywhere">
              {wrong}
            </p>
          ))}
      <div role="status">
        {rule !== undefined && test.data !== undefined && error === null && <Replayed replay={test.data} />}
      </div>
    </div>
  )
}

const Replayed = ({ replay }: { readonly replay: Output<"policies.test"> }) => {
  const t = policiesText.replay
  const workspace = useWorkspaceId()
  if (replay.checked === 0) return <p className="type-note text-2">{t.none}</p>
  const facts = [
    ["matched", t.matched, replay.matched],
    ["block", t.wouldBlock, replay.would_block],
    ["ask", t.wouldAsk, replay.would_require_approval],
    ...(replay.errors > 0 ? [["errors", t.errors, replay.errors] as const] : [])
  ] as const
  return (
    <div className={styles.outcome}>
      <p className={styles.match}>{t.checked(replay.checked)}</p>
      <dl className="grid gap-2">
        {facts.map(([key, name, count]) => (
          <div key={key} className={`flex justify-end gap-8 type-body ${styles.fact}`}>
            <dt>{name}</dt>
            <dd>{figure(count)}</dd>
          </div>
        ))}
      </dl>
      {replay.changed.length === 0 ? <p className="type-note text-2">{t.same}</p> : (
        <>
          <h3 className="mt-8 type-label text-3">{t.changed}</h3>
          <ul className={styles.changed} tabIndex={0} aria-label={t.changed}>
            {replay.changed.map(({ request_id, status, would }) => (
              <li key={request_id} className={`flex flex-wrap items-center gap-2 gap-x-12 type-body ${styles.change}`}>
                <Link to="/w/$workspace/requests/$id" params={{ workspace, id: request_id }}>
                  <Id value={request_id} />
                </Link>
                <span>
                  {t.was} <StatusBadge status={status}>{requests.statuses[status]}</StatusBadge>
                </span>
                <span>{t.would[would]}</span>
              </li>
            ))}
          </ul>
          {replay.changed.length >= listedMax && <p className="type-note text-2">{t.more(listedMax)}</p>}
        </>
      )}
    </div>
  )
}
