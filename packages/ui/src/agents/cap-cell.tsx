/** One cap of one operation, changed in place. The whole binding is sent as it was last read, with this one figure other. */
import { useState } from "react"
import { errorWords } from "../app/error-words.ts"
import { fieldProblem } from "../app/field-problem.ts"
import { useWorkspaceId } from "../app/session.ts"
import { formatMoney } from "../components/money-text.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { agentsText } from "../text/agents.ts"
import { figure, useText } from "../text/catalogue.ts"
import { errorText } from "../text/errors.ts"
import styles from "./bindings-panel.module.css"
import { type Binding, type CapName, capOf, withCap } from "./caps.ts"
import { EditableFigure } from "./editable-figure.tsx"

export interface CapCellProps {
  readonly agent: string
  readonly binding: Binding
  /** Without one: what holds for each. */
  readonly operation: string | undefined
  readonly cap: CapName
  readonly kind: "money" | "count"
  readonly label: string
  /** Said where nothing is set. */
  readonly none: string
  readonly mayChange: boolean
}

export const CapCell = ({ agent, binding, cap, kind, label, mayChange, none, operation }: CapCellProps) => {
  const t = useText(agentsText).bindings
  const errors = useText(errorText)
  const mayAct = useMayAct()
  const [saved, setSaved] = useState(0)
  const put = useAct("bindings.put", {
    workspace: useWorkspaceId(),
    touches: ["agents", "bindings", "budgets"],
    onDone: () => setSaved((count) => count + 1)
  })
  const { inherited, value } = capOf(binding, operation, cap)
  const text = value === undefined ? none : kind === "money" ? formatMoney(value) : figure(value)
  const path = operation === undefined ? cap : `per_operation.${operation}.${cap}`
  return (
    <EditableFigure
      kind={kind}
      label={label}
      value={inherited ? undefined : value}
      shown={
        <span className={value === undefined || inherited ? styles.quiet : undefined} title={inherited ? t.inherited : undefined}>
          {text}
        </span>
      }
      changeText={t.change(label, text)}
      texts={{ save: t.save, cancel: t.cancel, invalid: kind === "money" ? t.invalid : t.invalidCount }}
      onSave={
        mayChange && mayAct
          ? (next) => put.mutate({ params: { id: agent }, payload: withCap(binding, operation, cap, next) })
          : undefined
      }
      onCancel={() => put.reset()}
      pending={put.isPending}
      error={put.error === null ? undefined : (fieldProblem(put.error, path) ?? errorWords(errors, put.error))}
      saved={saved}
    />
  )
}
