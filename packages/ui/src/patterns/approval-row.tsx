/** A row of the inbox: agent, operation, seal, and reason; amount and expiry. Always 64 px high. */
import type { ComponentProps, ReactNode } from "react"
import { Avatar } from "../components/avatar.tsx"
import { classNames } from "../components/class-names.ts"
import styles from "./approval-row.module.css"
import { Money } from "./money.tsx"
import { RevealedText, type RevealTexts } from "./revealed-text.tsx"
import { Seal } from "./seal.tsx"
import { StatusGlyph } from "./status-badge.tsx"
import { statusLook } from "./status.ts"

export interface ApprovalRowProps extends Omit<ComponentProps<"a">, "children"> {
  /** The wire's status. */
  readonly status: string
  readonly agentName: string
  /** `service.operation`, or the subject of a request. */
  readonly operation: ReactNode
  /** Absent if the row has no payload, and so no seal. */
  readonly digest?: string | undefined
  /** Undefined if the request has no cost. */
  readonly costCents: number | undefined
  /** An agent by default. */
  readonly asker?: "agent" | "person" | undefined
  readonly reason: string
  /** The payload's summary, before the reason. */
  readonly summary?: string | undefined
  /** The seal is closed: approved, and not blocked or failed afterwards. */
  readonly closed?: boolean | undefined
  /** A Clock, or the time and author of the decision. */
  readonly time: ReactNode
  readonly selected?: boolean | undefined
  /** A folded group of one agent and operation: "6 × search.web" replaces the operation and the seal. */
  readonly folded?: string | undefined
  /** Beside the agent, such as the workspace's name in a list of several. */
  readonly place?: ReactNode
  readonly texts: RevealTexts & { readonly seal: string; readonly status: string }
}

/** An anchor: wrap it with the router's `createLink`. */
export const ApprovalRow = ({
  status,
  agentName,
  operation,
  digest,
  costCents,
  asker = "agent",
  reason,
  summary = "",
  closed = false,
  time,
  selected = false,
  folded,
  place,
  texts,
  className,
  ...rest
}: ApprovalRowProps) => (
  <a
    {...rest}
    className={classNames(styles.row, selected && styles.selected, className)}
    aria-current={selected ? "true" : undefined}
  >
    <span className="inline-grid" role="img" aria-label={texts.status}>
      <StatusGlyph look={statusLook(status)} toned size={14} />
    </span>
    <span className={styles.words}>
      <span className={styles.what}>
        <Avatar kind={asker} name={agentName} size={16} />
        <span className={styles.agent}>
          <RevealedText text={agentName} texts={texts} line />
        </span>
        <span className={styles.operation}>{folded ?? operation}</span>
      </span>
      {folded === undefined && digest !== undefined && (
        <span className={styles.seal}>
          <Seal digest={digest} label={texts.seal} closed={closed} />
        </span>
      )}
      <span className={styles.why}>
        {place !== undefined && <span className="me-8 text-2">{place}</span>}
        {summary !== "" && (
          <span className="me-8 text-1">
            <RevealedText text={summary} texts={texts} line />
          </span>
        )}
        <RevealedText text={reason} texts={texts} line />
      </span>
    </span>
    <span className={styles.figures}>
      {costCents !== undefined && <Money cents={costCents} size="lead" />}
      <span className={styles.time}>{time}</span>
    </span>
  </a>
)
