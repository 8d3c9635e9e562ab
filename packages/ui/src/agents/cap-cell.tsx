/**
 * One cap of one operation, editable in place. Saving sends the whole binding as last read, with this one cap changed.
 */
import { useState } from "react"
import { errorWords } from "../app/error-words.ts"
import { fieldProblem } from "../app/field-problem.ts"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { formatMoney } from "../components/money-text.ts"
import { useMayAct } from "../live/connection.ts"
import { keysField } from "../patterns/three-way.ts"
import { agentsText } from "../text/agents.ts"
import { figure } from "../text/catalogue.ts"
import { errorText as errors } from "../text/errors.ts"
import { mergeText } from "../text/merge.ts"
import { type Binding, type CapName, capOf, withCap } from "./caps.ts"
import { EditableFigure } from "./editable-figure.tsx"

export interface CapCellProps {
  readonly agent: string
  readonly binding: Binding
  /** Undefined for the cap that applies to each operation. */
  readonly operation: string | undefined
  readonly cap: CapName
  readonly kind: "money" | "count"
  readonly label: string
  /** Shown if no cap is set. */
  readonly none: string
  readonly mayChange: boolean
}

interface CapDraft {
  readonly value: number | undefined
}

const textOf = (kind: CapCellProps["kind"], value: number): string =>
  kind === "money" ? formatMoney(value) : figure(value)

export const CapCell = ({ agent, binding, cap, kind, label, mayChange, none, operation }: CapCellProps) => {
  const t = agentsText.bindings
  const mayAct = useMayAct()
  const [saved, setSaved] = useState(0)
  const shownOf = (figure: number | undefined) => figure === undefined ? none : textOf(kind, figure)
  const edit = useEdit({
    endpoint: "bindings.put",
    loaded: binding,
    draftOf: (from: Binding): CapDraft => {
      const { inherited, value } = capOf(from, operation, cap)
      return { value: inherited ? undefined : value }
    },
    fields: () => [keysField<CapDraft>(["value"], label, (draft) => shownOf(draft.value))],
    input: (from, draft) => ({ params: { id: agent }, payload: withCap(from, operation, cap, draft.value) }),
    workspace: useWorkspaceId(),
    touches: ["agents", "bindings", "budgets"],
    onDone: () => setSaved((count) => count + 1)
  })
  const { inherited, value } = capOf(binding, operation, cap)
  const text = shownOf(value)
  const path = operation === undefined ? cap : `per_operation.${operation}.${cap}`
  return (
    <>
      <EditableFigure
        kind={kind}
        label={label}
        value={inherited ? undefined : value}
        shown={
          <span
            className={value === undefined || inherited ? "text-3" : undefined}
            title={inherited ? t.inherited : undefined}
          >
            {text}
          </span>
        }
        changeText={t.change(label, text)}
        texts={{ save: t.save, cancel: t.cancel, invalid: kind === "money" ? t.invalid : t.invalidCount }}
        onSave={mayChange && mayAct
          ? (next) => edit.save({ value: next })
          : undefined}
        // From here on, another person's change requires a review.
        onOpen={edit.hold}
        onCancel={edit.reset}
        pending={edit.isPending}
        error={edit.error === null ? undefined : (fieldProblem(edit.error, path) ?? errorWords(errors, edit.error))}
        saved={saved}
      />
      {edit.conflict !== undefined && (
        <FormDialog
          title={mergeText.title}
          call={edit}
          onClose={edit.reset}
          onSubmit={() => edit.save()}
        />
      )}
    </>
  )
}
