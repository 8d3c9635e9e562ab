/** A rule held against past requests, by the hub. */
import { useState } from "react"
import { fieldProblem } from "../app/field-problem.ts"
import { Link } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Select } from "../components/select.tsx"
import type { Input, Output } from "../hub/contract.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { actText } from "../text/acts.ts"
import { figure, useText } from "../text/catalogue.ts"
import { policiesText } from "../text/policies.ts"
import { requestsText } from "../text/requests.ts"
import styles from "./test-panels.module.css"

const limits = ["50", "200", "1000"] as const
const toldMax = 100

export interface ReplayPanelProps {
  /** As it is written now; none while it is not complete. */
  readonly rule: Input<"policies.create">["payload"] | undefined
}

export const ReplayPanel = ({ rule }: ReplayPanelProps) => {
  const t = useText(policiesText).replay
  const acts = useText(actText)
  const [limit, setLimit] = useState<(typeof limits)[number]>("200")
  const mayAct = useMayAct()
  const test = useAct("policies.test", { workspace: useWorkspaceId() })
  const wrong = fieldProblem(test.error, "rule", true)
  return (
    <form
      className={styles.panel}
      onSubmit={(event) => {
        event.preventDefault()
        if (rule !== undefined) test.mutate({ payload: { rule, limit: Number(limit) } })
      }}
    >
      <p className={styles.about}>{t.about}</p>
      <div className={styles.run}>
        <Select
          label={t.limit}
          value={limit}
          onChange={setLimit}
          options={limits.map((value) => ({ value, text: t.limits[value] }))}
        />
        <Button type="submit" pending={test.isPending} pendingText={acts.asking} disabled={rule === undefined || !mayAct}>
          {t.act}
        </Button>
      </div>
      {test.error !== null
        && (wrong === undefined ? (
          <Problem inline error={test.error} failed={t.failed} unchanged={t.unchanged} />
        ) : (
          <p role="alert" className={styles.wrong}>
            {wrong}
          </p>
        ))}
      <div role="status">{test.data !== undefined && test.error === null && <Replayed replay={test.data} />}</div>
    </form>
  )
}

const Replayed = ({ replay }: { readonly replay: Output<"policies.test"> }) => {
  const t = useText(policiesText).replay
  const requests = useText(requestsText)
  const workspace = useWorkspaceId()
  if (replay.checked === 0) return <p className={styles.about}>{t.none}</p>
  const facts = [
    ["matched", t.matched, replay.matched],
    ["block", t.wouldBlock, replay.would_block],
    ["ask", t.wouldAsk, replay.would_require_approval],
    ...(replay.errors > 0 ? [["errors", t.errors, replay.errors] as const] : [])
  ] as const
  return (
    <div className={styles.outcome}>
      <p className={styles.match}>{t.checked(replay.checked)}</p>
      <dl className={styles.facts}>
        {facts.map(([key, name, count]) => (
          <div key={key} className={styles.fact}>
            <dt>{name}</dt>
            <dd>{figure(count)}</dd>
          </div>
        ))}
      </dl>
      {replay.changed.length === 0 ? (
        <p className={styles.about}>{t.same}</p>
      ) : (
        <>
          <h3 className={styles.heading}>{t.changed}</h3>
          <ul className={styles.changed} tabIndex={0} aria-label={t.changed}>
            {replay.changed.map(({ request_id, status, would }) => (
              <li key={request_id} className={styles.change}>
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
          {replay.changed.length >= toldMax && <p className={styles.about}>{t.more(toldMax)}</p>}
        </>
      )}
    </div>
  )
}
