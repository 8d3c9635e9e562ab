/** Why a request was blocked or failed, in words and with the figures of that moment, and the possible actions. */
import type { ReactNode } from "react"
import { ButtonLink } from "../app/link.tsx"
import { useCan } from "../app/session.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { figure, Phrase } from "../text/catalogue.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { requestsText } from "../text/requests.ts"
import { detailOf, isUnknown, reasonOf } from "./reason.ts"
import styles from "./request-screen.module.css"
import type { Trace } from "./steps.tsx"

type Words = typeof requestsText.block

const sentenceOf = (t: Words, { block, reason_code }: Trace["request"]): string => {
  switch (block?.limit) {
    case "binding":
      return t.binding
    case "frozen":
      return block.scope.type === "agent" ? t.frozenAgent : t.frozenOrg
    case "policy":
      return t.policy
    case "operation_day_count":
      return t.operation_day_count
    case "operation_month":
      return t.operation_month
    case "agent_month":
      return t.agent_month
    case "wallet":
      return t.wallet
    case "task_budget":
      return t.task_budget
    case "provider":
      return t.provider
  }
  switch (reason_code) {
    case "approval_rejected":
      return t.approval_rejected
    case "approval_expired":
      return t.approval_expired
    case "approval_cancelled":
      return t.approval_cancelled
    case "approval_stale":
      return t.approval_stale
    default:
      return t.other
  }
}

const Next = ({ trace, workspace }: { readonly trace: Trace; readonly workspace: string }) => {
  const t = requestsText.block.next
  const can = useCan()
  const { block } = trace.request
  if (block === undefined) return null
  const agent = `/w/${workspace}/agents/${trace.agent.id}`
  if (block.policy_id !== undefined) {
    return <ButtonLink size="small" to={`/w/${workspace}/policies` as "/"}>{t.policy}</ButtonLink>
  }
  if (block.next_action.kind === "top_up") {
    return can("billing:write")
      ? (
        <ButtonLink size="small" to="/w/$workspace/money" params={{ workspace }} search={{ act: "top-up" }}>
          {t.top_up}
        </ButtonLink>
      )
      : null
  }
  if (block.next_action.kind === "binding") return <ButtonLink size="small" to={agent as "/"}>{t.binding}</ButtonLink>
  if (block.next_action.kind === "budget_request") {
    return <ButtonLink size="small" to={agent as "/"}>{t.budget_request}</ButtonLink>
  }
  return block.scope.type === "agent" ? <ButtonLink size="small" to={agent as "/"}>{t.wait}</ButtonLink> : null
}

export const BlockExplanation = ({ trace, workspace }: { readonly trace: Trace; readonly workspace: string }) => {
  const t = requestsText
  const { approval, request } = trace
  if (isUnknown(request)) {
    return (
      <Panel title={t.block.titleUnknown}>
        <p className={styles.sentence}>{request.status === "running" ? t.block.unknownHeld : t.block.unknown}</p>
        {detailOf(request.result) !== undefined && (
          <div className="p-12 rounded-control bg-sunken type-mono wrap-anywhere">
            <RevealedText text={detailOf(request.result) ?? ""} texts={reveal} />
          </div>
        )}
      </Panel>
    )
  }
  if (request.status === "failed") {
    return (
      <Panel title={t.block.titleFailed}>
        <p className={styles.sentence}>{reasonOf(t, request)}</p>
        {detailOf(request.result) !== undefined && (
          <div className="p-12 rounded-control bg-sunken type-mono wrap-anywhere">
            <RevealedText text={detailOf(request.result) ?? ""} texts={reveal} />
          </div>
        )}
      </Panel>
    )
  }
  if (request.status !== "blocked") return null
  const { block } = request
  const f = t.block.figures
  const over = block?.limit_cents === undefined
    ? 0
    : request.ceiling_cents + (block.spent_cents ?? 0) + (block.held_cents ?? 0) - block.limit_cents
  const figures: ReadonlyArray<{ readonly key: string; readonly name: string; readonly value: ReactNode } | false> =
    block === undefined ? [] : [
      block.limit_cents !== undefined &&
      { key: "limit", name: f.limit, value: <Money cents={block.limit_cents} end /> },
      block.spent_cents !== undefined &&
      { key: "spent", name: f.spent, value: <Money cents={block.spent_cents} end /> },
      block.held_cents !== undefined && block.held_cents > 0 &&
      { key: "held", name: f.held, value: <Money cents={block.held_cents} end /> },
      block.limit_cents !== undefined &&
      { key: "asked", name: f.asked, value: <Money cents={request.ceiling_cents} end /> },
      over > 0 && {
        key: "over",
        name: f.over,
        value: (
          <strong className="text-stop">
            <Money cents={over} end />
          </strong>
        )
      },
      block.limit_count !== undefined &&
      { key: "count", name: f.count, value: `${figure(block.used_count ?? 0)} / ${figure(block.limit_count)}` }
    ]
  const rows = figures.filter((row) => row !== false)
  const comment = approval?.comment
  return (
    <Panel title={t.block.title} actions={<Next trace={trace} workspace={workspace} />}>
      <p className={styles.sentence}>
        <Phrase
          text={sentenceOf(t.block, request)}
          agent={<strong>{trace.agent.name}</strong>}
          operation={
            <span className={`type-mono wrap-anywhere ${styles.code}`}>{request.service}.{request.operation}</span>
          }
        />
        {block?.resets_at !== undefined && (
          <>
            {" "}
            <Phrase text={t.block.resets} time={<RelativeTime at={block.resets_at} now={hubClock.now} />} />
          </>
        )}
      </p>
      {block?.detail !== undefined && (
        <div className="p-12 rounded-control bg-sunken type-mono wrap-anywhere">
          <RevealedText text={block.detail} texts={reveal} />
        </div>
      )}
      {(block?.limit === "policy" || block?.unknown_operation === true) && block.message !== undefined && (
        <div className="p-12 rounded-control bg-sunken type-mono wrap-anywhere">
          <RevealedText text={block.message} texts={reveal} />
        </div>
      )}
      {block?.reason !== undefined && (
        <KeyValueList
          items={[{ key: "reason", name: t.block.reason, value: <RevealedText text={block.reason} texts={reveal} /> }]}
        />
      )}
      {comment !== undefined && (
        <KeyValueList
          items={[{ key: "comment", name: t.block.comment, value: <RevealedText text={comment} texts={reveal} /> }]}
        />
      )}
      {rows.length > 0 && <KeyValueList items={rows} />}
    </Panel>
  )
}
