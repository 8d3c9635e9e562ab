/** What a schedule or a trigger does: a request of an operation, or a run of a workflow. */
import type { WorkflowId } from "@countersign/domain/ids"
import { useQuery } from "@tanstack/react-query"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { PayloadInput } from "../catalog/payload-input.tsx"
import { isJsonObject } from "../catalog/read-json.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { allServices, type FiringAction, serviceQuery, versionQuery, workflowChoices } from "../hub/queries.ts"
import { schedulesText } from "../text/schedules.ts"

/** An action that may be incomplete. */
export interface ActionDraft {
  readonly type: FiringAction["type"]
  readonly service: string
  readonly operation: string
  readonly workflow_id: WorkflowId | ""
  /** The payload of a request, or the input of a workflow. */
  readonly payload: unknown
}

export const noAction: ActionDraft = {
  type: "service_request",
  service: "",
  operation: "",
  workflow_id: "",
  payload: {}
}

export const actionDraftOf = (action: FiringAction): ActionDraft =>
  action.type === "workflow"
    ? { ...noAction, type: "workflow", workflow_id: action.workflow_id, payload: action.input ?? {} }
    : { ...noAction, service: action.service, operation: action.operation, payload: action.payload ?? {} }

/** Undefined while it is incomplete. */
export const actionOf = (draft: ActionDraft): FiringAction | undefined => {
  const { operation, payload, service, type, workflow_id } = draft
  if (!isJsonObject(payload)) return undefined
  if (type === "workflow") {
    return workflow_id === "" ? undefined : { type, workflow_id, input: payload }
  }
  return service === "" || operation === "" ? undefined : { type, service, operation, payload }
}

interface ActionFieldsProps {
  readonly value: ActionDraft
  readonly onChange: (value: ActionDraft) => void
  readonly error: unknown
  /** A template replaces the payload. */
  readonly withoutPayload?: boolean
}

export const ActionFields = ({ error, onChange, value, withoutPayload = false }: ActionFieldsProps) => {
  const t = schedulesText.action
  const workspace = useWorkspaceId()
  const can = useCan()
  const { operation, payload, service, type, workflow_id } = value
  const services = useQuery({ ...allServices(workspace), enabled: can("catalog:read") }).data ?? []
  const found = useQuery({ ...serviceQuery(workspace, service), enabled: service !== "" }).data
  const workflows = useQuery({ ...workflowChoices(workspace), enabled: can("workflows:read") }).data?.data ?? []
  const live = workflows.filter((each) => each.live_version_id !== undefined || each.id === workflow_id)
  const workflow = workflows.find(({ id }) => id === workflow_id)
  const version = useQuery({
    ...versionQuery(workspace, workflow_id, workflow?.live_version_id ?? ""),
    enabled: workflow?.live_version_id !== undefined
  }).data
  const schema = type === "workflow"
    ? version?.input_schema
    : found?.operations.find(({ name }) => name === operation)?.payload_schema
  const set = (changes: Partial<ActionDraft>) => onChange({ ...value, ...changes })
  return (
    <fieldset className="grid gap-16 min-w-0 border-0">
      <legend className="sr-only">{t.legend}</legend>
      <RadioGroup
        inline
        label={t.legend}
        value={type}
        onChange={(next) => set({ type: next, payload: {} })}
        options={[{ value: "service_request", text: t.request }, { value: "workflow", text: t.workflow }]}
      />
      {type === "workflow"
        ? (
          <Select
            label={t.workflow}
            placeholder={live.length === 0 ? t.noWorkflow : t.chooseWorkflow}
            disabled={live.length === 0}
            value={workflow_id === "" ? undefined : workflow_id}
            onChange={(next) => set({ workflow_id: next, payload: {} })}
            options={live.map(({ id, name }) => ({ value: id, text: name }))}
            path="action.workflow_id"
          />
        )
        : (
          <>
            <Select
              label={t.service}
              placeholder={t.chooseService}
              value={service === "" ? undefined : service}
              onChange={(next) => set({ service: next, operation: "", payload: {} })}
              options={services.map(({ name }) => ({ value: name as string, text: name }))}
              path="action.service"
            />
            <Select
              label={t.operation}
              placeholder={t.chooseOperation}
              disabled={service === ""}
              value={operation === "" ? undefined : operation}
              onChange={(next) => set({ operation: next, payload: {} })}
              options={(found?.operations ?? []).map(({ name }) => ({ value: name as string, text: name }))}
              path="action.operation"
            />
          </>
        )}
      {!withoutPayload && (
        <PayloadInput
          key={`${type} ${service} ${operation} ${workflow_id} ${schema === undefined}`}
          label={type === "workflow" ? t.input : t.payload}
          text={t}
          schema={schema}
          value={payload}
          onChange={(next) => set({ payload: next ?? {} })}
          error={error}
          jsonError={isJsonObject(payload) ? undefined : t.notJson}
        />
      )}
    </fieldset>
  )
}
