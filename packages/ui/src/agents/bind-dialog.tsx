/** Binds a service of the catalog to an agent, or chooses other operations of one that is bound. */
import { useState } from "react"
import { fieldProblem, isReadable, isUnplaced } from "../app/field-problem.ts"
import { FormDialog } from "../app/form-dialog.tsx"
import { Problem } from "../app/problem.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import type { Service } from "../catalog/queries.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { MoneyField } from "../components/money-field.tsx"
import { NumberField } from "../components/number-field.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { showToast } from "../components/toast.tsx"
import type { Output } from "../hub/contract.ts"
import { useAct } from "../hub/use-hub.ts"
import { agentsText } from "../text/agents.ts"
import { useText } from "../text/catalogue.ts"
import type { Binding, BindingInput } from "./caps.ts"
import { withOperations } from "./caps.ts"
import styles from "./form.module.css"

export interface BindDialogProps {
  readonly agent: Output<"agents.get">
  /** Of the catalog; with `binding` the one that it is of. */
  readonly services: ReadonlyArray<Service>
  readonly binding?: Binding
  readonly onClose: () => void
}

const paths = ["operations", "monthly_cap_cents", "daily_request_limit", "approval_threshold_cents", "service"]

export const BindDialog = ({ agent, binding, onClose, services }: BindDialogProps) => {
  const texts = useText(agentsText)
  const t = texts.bind
  const mayCap = useCan()("budgets:write")
  const offered =
    binding === undefined ? services.filter(({ name }) => !agent.bindings.some(({ service }) => service === name)) : services
  const [name, setName] = useState(binding?.service ?? (offered.length === 1 ? offered[0]?.name : undefined))
  const [isAll, setAll] = useState(binding === undefined || binding.operations[0] === "*")
  const [picked, setPicked] = useState<ReadonlyArray<string>>(
    binding === undefined || binding.operations[0] === "*" ? [] : binding.operations
  )
  const [cap, setCap] = useState<number>()
  const [limit, setLimit] = useState<number>()
  const [threshold, setThreshold] = useState<number>()
  const [lacksPick, setLacksPick] = useState(false)
  const service = offered.find((one) => one.name === name)
  const put = useAct("bindings.put", {
    workspace: useWorkspaceId(),
    touches: ["agents", "bindings", "budgets"],
    onDone: ({ service }) => {
      showToast({ text: binding === undefined ? t.done(service) : texts.edit.done })
      onClose()
    }
  })
  const payload = (): BindingInput => {
    const operations = isAll ? ["*"] : picked
    return binding !== undefined
      ? withOperations(binding, operations)
      : {
          service: name ?? "",
          operations,
          ...(cap === undefined ? {} : { monthly_cap_cents: cap }),
          ...(limit === undefined ? {} : { daily_request_limit: limit }),
          ...(threshold === undefined ? {} : { approval_threshold_cents: threshold })
        }
  }
  return (
    <FormDialog
      title={binding === undefined ? t.title(agent.name) : t.editTitle(binding.service)}
      act={binding === undefined ? t.act : t.save}
      pending={put.isPending}
      disabled={name === undefined}
      validates
      onClose={onClose}
      onSubmit={(form) => {
        const lacks = !isAll && picked.length === 0
        setLacksPick(lacks)
        if (!lacks && isReadable(form)) put.mutate({ params: { id: agent.id }, payload: payload() })
      }}
    >
      {binding === undefined
        && (offered.length === 0 ? (
          <p className={styles.note}>{t.none}</p>
        ) : (
          <Select
            label={t.service}
            placeholder={t.pick}
            value={name}
            onChange={(next) => {
              setName(next)
              setPicked([])
            }}
            options={offered.map(({ enabled, name, title }) => ({
              value: name,
              text: [title === undefined || title === name ? name : `${title} (${name})`, ...(enabled ? [] : [t.off])].join(
                ", "
              )
            }))}
            error={fieldProblem(put.error, "service")}
          />
        ))}
      {service !== undefined && (
        <>
          <RadioGroup
            label={t.which}
            value={isAll ? "all" : "some"}
            onChange={(which) => setAll(which === "all")}
            options={[
              { value: "all", text: t.all },
              { value: "some", text: t.some }
            ]}
          />
          {!isAll && (
            <div className={styles.picks} role="group" aria-label={t.which} tabIndex={0}>
              {service.operations.map((operation) => (
                <Checkbox
                  key={operation.name}
                  label={operation.title ?? operation.name}
                  description={operation.title === undefined ? undefined : operation.name}
                  checked={picked.includes(operation.name)}
                  onChange={(on) =>
                    setPicked(on ? [...picked, operation.name] : picked.filter((one) => one !== operation.name))
                  }
                />
              ))}
            </div>
          )}
          {(lacksPick || fieldProblem(put.error, "operations", true) !== undefined) && (
            <p role="alert" className={styles.wrong}>
              {fieldProblem(put.error, "operations", true) ?? t.pickOne}
            </p>
          )}
        </>
      )}
      {binding === undefined && service !== undefined && (
        <>
          <h3 className={styles.heading}>{t.caps}</h3>
          {!mayCap && <p className={styles.note}>{t.noBudgets}</p>}
          <div className={styles.pair}>
            <MoneyField
              label={t.cap}
              description={t.capAbout}
              value={cap}
              onChange={setCap}
              disabled={!mayCap}
              invalidText={texts.budget.invalid}
              error={fieldProblem(put.error, "monthly_cap_cents")}
            />
            <MoneyField
              label={t.threshold}
              description={t.thresholdAbout}
              value={threshold}
              onChange={setThreshold}
              disabled={!mayCap}
              invalidText={texts.budget.invalid}
              error={fieldProblem(put.error, "approval_threshold_cents")}
            />
            <NumberField
              label={t.limit}
              description={t.capAbout}
              value={limit}
              onChange={setLimit}
              disabled={!mayCap}
              max={1_000_000_000}
              invalidText={texts.bindings.invalidCount}
              error={fieldProblem(put.error, "daily_request_limit")}
            />
          </div>
        </>
      )}
      {isUnplaced(put.error, paths) && <Problem inline error={put.error} failed={t.failed} unchanged={t.unchanged} />}
    </FormDialog>
  )
}
