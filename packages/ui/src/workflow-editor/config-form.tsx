/** The configuration of a step as a form. A field keeps any text, such as a reference, whatever its type. */
import type { Detail } from "@countersign/domain/errors"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useWorkspaceId } from "../app/session.ts"
import { schemaFields } from "../catalog/schema-fields.ts"
import { JsonField } from "../catalog/schema-form.tsx"
import { TextArea } from "../components/fields.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { agentChoices, allServices, serviceQuery, workflowChoices } from "../hub/queries.ts"
import { workflowEditorText as t } from "../text/workflow-editor.ts"
import type { DraftStep } from "./draft.ts"
import { problemAt } from "./problems.ts"
import { type StepField, stepFields, textOf, valueOf, withMember } from "./step-fields.ts"

interface ConfigFormProps {
  readonly step: DraftStep
  readonly problems: ReadonlyArray<Detail>
  readonly onChange: (config: DraftStep["config"]) => void
}

export const ConfigForm = ({ onChange, problems, step }: ConfigFormProps) => (
  <>
    {stepFields[step.type].map((field) => (
      <ConfigField
        key={field.name}
        field={field}
        config={step.config}
        error={problemAt(problems, `config.${field.name}`)}
        onChange={(value) => onChange(withMember(step.config, field.name, value))}
        onConfig={onChange}
      />
    ))}
  </>
)

interface ConfigFieldProps {
  readonly field: StepField
  readonly config: DraftStep["config"]
  readonly error: string | undefined
  readonly onChange: (value: unknown) => void
  readonly onConfig: (config: DraftStep["config"]) => void
}

const ConfigField = ({ config, error, field, onChange, onConfig }: ConfigFieldProps) => {
  const value = config[field.name]
  const common = {
    label: t.fields[field.name],
    aside: field.optional ? t.about.optional : undefined,
    description: field.about === undefined ? undefined : t.about[field.about],
    error
  }
  const write = (text: string) => onChange(text === "" && field.optional ? undefined : text)
  const text = textOf(value)
  switch (field.kind) {
    case "text":
      return field.choices === undefined
        ? <TextField {...common} value={text} onChange={write} />
        : <ChoiceField {...common} value={text} choices={field.choices} optional={field.optional} onChange={write} />
    case "long":
      return <TextArea {...common} value={text} onChange={write} />
    case "cel":
      return <TextArea {...common} mono rows={2} value={text} onChange={write} />
    case "value":
      return <TextField {...common} mono value={text} onChange={(typed) => onChange(valueOf(typed))} />
    case "lines":
      return (
        <TextArea
          {...common}
          value={Array.isArray(value) ? value.map(textOf).join("\n") : text}
          onChange={(typed) =>
            onChange(
              typed === ""
                ? field.optional ? undefined : []
                : /^\$\{[^{}]*\}$/u.test(typed)
                ? typed
                : typed.split("\n")
            )}
        />
      )
    case "json":
      return field.name === "payload"
        ? <PayloadFields config={config} error={error} onChange={onChange} />
        : (
          <JsonField
            {...common}
            rows={4}
            description={field.name === "deciders" ? t.step.deciders : t.step.json1}
            value={value}
            onChange={onChange}
          />
        )
    case "service":
      return <ServiceField {...common} value={text} onConfig={onConfig} />
    case "operation":
      return <OperationField {...common} service={textOf(config["service"])} value={text} onChange={onChange} />
    case "agent":
      return <AgentField {...common} value={text} onChange={onChange} />
    case "workflow":
      return <WorkflowField {...common} value={text} onChange={onChange} />
  }
}

interface OwnProps {
  readonly label: string
  readonly aside?: string | undefined
  readonly description?: ReactNode
  readonly error?: string | undefined
  readonly value: string
}

/** A list of known values. A value that is not in it, such as a reference, stays and can be chosen again. */
const ChoiceField = (
  { choices, names = {}, onChange, optional, value, ...rest }: OwnProps & {
    readonly choices: ReadonlyArray<string>
    readonly names?: Readonly<Record<string, string>>
    readonly optional?: true | undefined
    readonly onChange: (value: string) => void
  }
) => (
  <Select
    {...rest}
    value={value}
    onChange={onChange}
    options={[
      { value: "", text: t.step.choose, disabled: optional !== true },
      ...(value === "" || choices.includes(value) ? choices : [value, ...choices])
        .map((choice) => ({ value: choice, text: names[choice] ?? choice }))
    ]}
  />
)

const ServiceField = (
  { onConfig, value, ...rest }: OwnProps & { readonly onConfig: (config: DraftStep["config"]) => void }
) => {
  const services = useQuery(allServices(useWorkspaceId())).data ?? []
  return (
    <ChoiceField
      {...rest}
      value={value}
      choices={services.map(({ name }) => name)}
      // Another service has other operations.
      onChange={(service) => onConfig({ service, operation: "", payload: {} })}
    />
  )
}

const OperationField = (
  { onChange, service, value, ...rest }: OwnProps & {
    readonly service: string
    readonly onChange: (value: unknown) => void
  }
) => {
  const found = useQuery({ ...serviceQuery(useWorkspaceId(), service), enabled: service !== "" }).data
  const operations = found?.operations ?? []
  return <ChoiceField {...rest} value={value} choices={operations.map(({ name }) => name)} onChange={onChange} />
}

const AgentField = ({ onChange, value, ...rest }: OwnProps & { readonly onChange: (value: unknown) => void }) => {
  const agents = useQuery(agentChoices(useWorkspaceId())).data?.data ?? []
  const names = Object.fromEntries(agents.map(({ id, name }) => [id as string, name]))
  return <ChoiceField {...rest} value={value} choices={Object.keys(names)} names={names} onChange={onChange} />
}

const WorkflowField = ({ onChange, value, ...rest }: OwnProps & { readonly onChange: (value: unknown) => void }) => {
  const workflows = useQuery(workflowChoices(useWorkspaceId())).data?.data ?? []
  const names = Object.fromEntries(workflows.map(({ id, name }) => [id as string, name]))
  return <ChoiceField {...rest} value={value} choices={Object.keys(names)} names={names} onChange={onChange} />
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The payload's members, as the operation declares them; otherwise the payload as JSON. */
const PayloadFields = (
  { config, error, onChange }: Pick<ConfigFieldProps, "config" | "error" | "onChange">
) => {
  const service = textOf(config["service"])
  const found = useQuery({ ...serviceQuery(useWorkspaceId(), service), enabled: service !== "" }).data
  const operation = found?.operations.find(({ name }) => name === config["operation"])
  const fields = schemaFields(operation?.payload_schema)
  const payload = config["payload"] ?? {}
  const isForm = isRecord(payload) && fields.length > 0 &&
    Object.keys(payload).every((name) => fields.some((field) => field.name === name))
  if (!isForm) {
    return (
      <JsonField
        label={t.fields.payload}
        description={t.step.json1}
        rows={6}
        value={config["payload"]}
        onChange={onChange}
        error={error}
      />
    )
  }
  return (
    <fieldset className="grid gap-12 min-w-0 border-0">
      <legend className="type-label text-1">{t.fields.payload}</legend>
      {fields.map(({ choices, description, kind, name, required, title }) => {
        const value = payload[name]
        const common = {
          label: title ?? name,
          aside: required ? undefined : t.about.optional,
          description,
          value: textOf(value)
        }
        const set = (next: unknown) => onChange(withMember(payload, name, next))
        const write = (text: string) => set(text === "" ? undefined : text)
        if (kind === "group" || kind === "json") {
          return (
            <JsonField
              key={name}
              {...common}
              description={description ?? t.step.json1}
              value={value}
              onChange={set}
            />
          )
        }
        if (kind === "choice") return <ChoiceField key={name} {...common} optional choices={choices} onChange={write} />
        if (kind === "text") return <TextField key={name} {...common} onChange={write} />
        if (kind === "long") return <TextArea key={name} {...common} onChange={write} />
        if (kind === "lines") {
          return (
            <TextArea
              key={name}
              {...common}
              description={[description, t.about.perLine].filter((each) => each !== undefined).join(" ")}
              value={Array.isArray(value) ? value.map(textOf).join("\n") : textOf(value)}
              onChange={(typed) =>
                set(typed === "" ? undefined : /^\$\{[^{}]*\}$/u.test(typed) ? typed : typed.split("\n"))}
            />
          )
        }
        return <TextField key={name} {...common} mono onChange={(typed) => set(valueOf(typed))} />
      })}
      {error !== undefined && <p role="alert" className="type-note weight-label text-stop wrap-anywhere">{error}</p>}
    </fieldset>
  )
}
