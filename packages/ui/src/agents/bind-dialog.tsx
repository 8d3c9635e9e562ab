/** Connects a service of the catalog to an agent, or changes the operations of a connected one. */
import type { Output } from "@countersign/hub-client/contract"
import { useState } from "react"
import { fieldProblem, isReadable } from "../app/field-problem.ts"
import { FormDialog } from "../app/form.tsx"
import { useLeadsTeam } from "../app/led-teams.ts"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { MoneyField, NumberField } from "../components/fields.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { showToast } from "../components/toast.tsx"
import type { ServiceRow } from "../hub/queries.ts"
import { agentsText as texts } from "../text/agents.ts"
import { AppField } from "./app-field.tsx"
import { appProviderOf, bindDraftOf, bindFields, bindingOfDraft, newBinding } from "./bind-draft.ts"
import type { Binding } from "./caps.ts"
import styles from "./form.module.css"

export interface BindDialogProps {
  readonly agent: Output<"agents.get">
  /** Services to choose from; with `binding`, only its own service. */
  readonly services: ReadonlyArray<ServiceRow>
  readonly binding?: Binding
  readonly onClose: () => void
  /** Opens a test request for the newly connected service. */
  readonly onTest?: (service: string) => void
}

export const BindDialog = ({ agent, binding, onClose, onTest, services }: BindDialogProps) => {
  const t = texts.bind
  const can = useCan()
  const leads = useLeadsTeam()
  const mayCap = can("budgets:write") || leads(agent.team_id)
  const offered = binding === undefined
    ? services.filter(({ name }) => !agent.bindings.some(({ service }) => service === name))
    : services
  const [name, setName] = useState(binding?.service ?? (offered.length === 1 ? offered[0]?.name : undefined))
  const [lacksPick, setLacksPick] = useState(false)
  const service = offered.find((one) => one.name === name)
  const provider = service && appProviderOf(service)
  const edit = useEdit({
    endpoint: "bindings.put",
    loaded: binding ?? newBinding,
    draftOf: bindDraftOf,
    fields: () => bindFields(texts),
    input: (base, draft) => ({
      params: { id: agent.id },
      payload: bindingOfDraft({ ...base, service: binding?.service ?? name ?? "" }, draft)
    }),
    workspace: useWorkspaceId(),
    touches: ["agents", "bindings", "budgets"],
    onDone: ({ service }) => {
      showToast(
        binding !== undefined
          ? { text: texts.edit.done }
          : { text: t.done(service), action: onTest && { text: texts.bindings.test, onPress: () => onTest(service) } }
      )
      onClose()
    }
  })
  const { draft: { app, cap, isAll, limit, picked, threshold }, error, set } = edit
  return (
    <FormDialog
      title={binding === undefined ? t.title(agent.name) : t.editTitle(binding.service)}
      act={binding === undefined ? t.act : t.save}
      call={edit}
      failed={t.failed}
      unchanged={t.unchanged}
      places={["operations"]}
      disabled={name === undefined}
      validates
      onClose={onClose}
      onSubmit={(form) => {
        const lacks = !isAll && picked.length === 0
        setLacksPick(lacks)
        if (!lacks && isReadable(form)) edit.save()
      }}
    >
      {binding === undefined
        && (offered.length === 0 ? <p className="type-note text-3">{t.none}</p> : (
          <Select
            label={t.service}
            placeholder={t.pick}
            value={name}
            onChange={(next) => {
              setName(next)
              edit.reset()
            }}
            options={offered.map(({ enabled, name, title }) => ({
              value: name,
              text: [title === undefined || title === name ? name : `${title} (${name})`, ...(enabled ? [] : [t.off])]
                .join(
                  ", "
                )
            }))}
            path="service"
          />
        ))}
      {service !== undefined && (
        <>
          <RadioGroup
            label={t.which}
            value={isAll ? "all" : "some"}
            onChange={(which) => set({ isAll: which === "all" })}
            options={[
              { value: "all", text: t.all },
              { value: "some", text: t.some }
            ]}
          />
          {!isAll && (
            <div
              className={`grid gap-8 px-12 py-8 border rounded-control ${styles.picks}`}
              role="group"
              aria-label={t.which}
              tabIndex={0}
            >
              {service.operations.map((operation) => (
                <Checkbox
                  key={operation.name}
                  label={operation.title ?? operation.name}
                  description={operation.title === undefined ? undefined : operation.name}
                  checked={picked.includes(operation.name)}
                  onChange={(on) =>
                    set({ picked: on ? [...picked, operation.name] : picked.filter((one) => one !== operation.name) })}
                />
              ))}
            </div>
          )}
          {(lacksPick || fieldProblem(error, "operations", true) !== undefined) && (
            <p role="alert" className="type-note weight-label text-stop">
              {fieldProblem(error, "operations", true) ?? t.pickOne}
            </p>
          )}
        </>
      )}
      {provider !== undefined && (
        <AppField
          agent={agent}
          provider={provider}
          value={app}
          onChange={(next) => set({ app: next })}
        />
      )}
      {binding === undefined && service !== undefined && (
        <>
          <h3 className="type-control text-1">{t.caps}</h3>
          {!mayCap && <p className="type-note text-3">{t.noBudgets}</p>}
          <div className={`grid items-start gap-12 gap-x-16 ${styles.pair}`}>
            <MoneyField
              label={t.cap}
              description={t.capAbout}
              value={cap}
              onChange={(next) => set({ cap: next })}
              disabled={!mayCap}
              invalidText={texts.budget.invalid}
              path="monthly_cap_cents"
            />
            <MoneyField
              label={t.threshold}
              description={t.thresholdAbout}
              value={threshold}
              onChange={(next) => set({ threshold: next })}
              disabled={!mayCap}
              invalidText={texts.budget.invalid}
              path="approval_threshold_cents"
            />
            <NumberField
              label={t.limit}
              description={t.capAbout}
              value={limit}
              onChange={(next) => set({ limit: next })}
              disabled={!mayCap}
              max={1_000_000_000}
              invalidText={texts.bindings.invalidCount}
              path="daily_request_limit"
            />
          </div>
        </>
      )}
    </FormDialog>
  )
}
