/** The fields for a required approval: number of approvers, roles and people, and time limit. */
import { useQuery } from "@tanstack/react-query"
import { fieldProblem } from "../app/field-problem.ts"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { NumberField } from "../components/fields.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { memberChoices } from "../hub/queries.ts"
import { memberName } from "../patterns/member-name.ts"
import { policiesText } from "../text/policies.ts"
import { deciderRoles, type RuleDraft, units } from "./rule-draft.ts"
import styles from "./rule-editor.module.css"

export interface AskFieldsProps {
  readonly draft: RuleDraft
  readonly onChange: (changes: Partial<RuleDraft>) => void
  readonly error: unknown
  readonly lacksDecider: boolean
}

const approvalsMax = 5
const secondsMin = 60
const secondsMax = 2_592_000

function withOne<V>(all: ReadonlyArray<V>, one: V, on: boolean): ReadonlyArray<V> {
  return on ? [...all, one] : all.filter((each) => each !== one)
}

export const AskFields = ({ draft, error, lacksDecider, onChange }: AskFieldsProps) => {
  const t = policiesText.editor
  const can = useCan()
  const people = useQuery({ ...memberChoices(useWorkspaceId()), enabled: can("members:read") }).data?.data ?? []
  const mayDecide = people.filter(({ role }) => deciderRoles.some((each) => each === role))
  const wrong = fieldProblem(error, "deciders", true) ?? (lacksDecider ? t.pickDecider : undefined)
  const perUnit = Number(draft.unit)
  return (
    <div className={styles.ask}>
      <div className={`grid items-start gap-16 ${styles.pair}`}>
        <NumberField
          label={t.approvals}
          min={1}
          max={approvalsMax}
          invalidText={t.approvalsInvalid}
          value={draft.approvals}
          onChange={(approvals) => onChange({ approvals })}
          error={fieldProblem(error, "required_approvals")}
        />
        <div className={`grid items-start gap-8 ${styles.life}`}>
          <NumberField
            label={t.expires}
            description={t.expiresAbout}
            invalidText={t.expiresInvalid}
            value={draft.life}
            min={Math.ceil(secondsMin / perUnit)}
            max={Math.floor(secondsMax / perUnit)}
            onChange={(life) => onChange({ life })}
            error={fieldProblem(error, "expires_in_seconds")}
          />
          <Select
            label={t.unit}
            value={draft.unit}
            onChange={(unit) => onChange({ unit })}
            options={units.map((value) => ({ value, text: t.units[value] }))}
          />
        </div>
      </div>
      <RadioGroup
        label={t.deciders}
        value={draft.isNarrow ? "some" : "anyone"}
        onChange={(which) => onChange({ isNarrow: which === "some" })}
        options={[
          { value: "anyone", text: t.anyone },
          { value: "some", text: t.some }
        ]}
      />
      {draft.isNarrow && (
        <div className={`grid gap-16 ${styles.deciders}`}>
          <fieldset className={`grid gap-8 border-0 ${styles.group}`}>
            <legend className="mb-8 type-label text-3">{t.roles}</legend>
            {deciderRoles.map((role) => (
              <Checkbox
                key={role}
                label={t.roleNames[role]}
                checked={draft.roles.includes(role)}
                onChange={(on) => onChange({ roles: withOne(draft.roles, role, on) })}
              />
            ))}
          </fieldset>
          {mayDecide.length > 0 && (
            <fieldset className={`grid gap-8 border-0 ${styles.group}`}>
              <legend className="mb-8 type-label text-3">{t.people}</legend>
              {mayDecide.map(({ email, name, user_id }) => (
                <Checkbox
                  key={user_id}
                  label={memberName({ email, name })}
                  description={name === "" ? undefined : email}
                  checked={draft.people.includes(user_id)}
                  onChange={(on) => onChange({ people: withOne(draft.people, user_id as string, on) })}
                />
              ))}
            </fieldset>
          )}
        </div>
      )}
      {wrong !== undefined && (
        <p role="alert" className="type-note weight-label text-stop">
          {wrong}
        </p>
      )}
    </div>
  )
}
