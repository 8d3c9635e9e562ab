/**
 * Sets a threshold below the price, so that the next request requires approval. It belongs to the binding: no other
 * setting of the workspace changes.
 */
import type { Binding } from "@countersign/domain/bindings"
import { useState } from "react"
import { withCap } from "../agents/caps.ts"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { MoneyField } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { startText } from "../text/start.ts"
import styles from "./start-screen.module.css"

export interface ThresholdStepProps {
  readonly agent: string
  readonly binding: Binding
  /** The maximum price of a request; undefined if the provider quotes it. */
  readonly priceCents: number | undefined
  readonly onDone: () => void
}

export const ThresholdStep = ({ agent, binding, onDone, priceCents }: ThresholdStepProps) => {
  const { saving, threshold: t } = startText
  const workspace = useWorkspaceId()
  const [cents, setCents] = useState<number | undefined>(0)
  // The person chooses this value now: other changes to the binding stay.
  const put = useEdit({
    endpoint: "bindings.put",
    loaded: binding,
    draftOf: ({ approval_threshold_cents }) => ({ cents: approval_threshold_cents }),
    fields: () => [],
    input: (base, draft) => ({
      params: { id: agent },
      payload: withCap(base, undefined, "approval_threshold_cents", draft.cents)
    }),
    workspace,
    touches: ["agents"],
    onDone
  })
  const tooHigh = cents !== undefined && priceCents !== undefined && cents >= priceCents
  const isComplete = cents !== undefined && !tooHigh
  return (
    <>
      <p>{t.what}</p>
      <FormFrame
        className="grid gap-16 w-full"
        call={put}
        failed={t.failed}
        unchanged={t.unchanged}
        disabled={!isComplete}
        onSubmit={() => {
          if (isComplete) put.save({ cents })
        }}
      >
        <div className={styles.line}>
          <MoneyField
            label={t.amount(binding.service)}
            className={styles.amount}
            required
            value={cents}
            onChange={setCents}
            invalidText={t.invalid}
            description={priceCents === undefined ? t.aboutQuoted : t.about(formatMoney(priceCents))}
            error={tooHigh ? t.tooHigh : undefined}
          />
          <FormSubmit variant="primary" act={t.act(formatMoney(cents ?? 0))} pendingText={saving} />
        </div>
        <FormProblem />
      </FormFrame>
    </>
  )
}
