/** A form for a payload, built from its schema. Empty fields are not sent. */
import type { Json } from "@countersign/domain/json"
import { useState } from "react"
import { fieldProblem } from "../app/field-problem.ts"
import { NumberField, TextArea } from "../components/fields.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { catalogText } from "../text/catalog.ts"
import { readJson } from "./read-json.ts"
import { memberAt, type Payload, type SchemaField, schemaFields, withMember } from "./schema-fields.ts"
import styles from "./schema-form.module.css"

export interface SchemaFormProps {
  readonly schema: unknown
  readonly value: Payload
  readonly onChange: (value: Payload) => void
  /** The error of the last call: its details are shown beside the fields that they name. */
  readonly error: unknown
}

export const SchemaForm = ({ error, onChange, schema, value }: SchemaFormProps) => (
  <div className="grid gap-16 min-w-0">
    {schemaFields(schema).map((field) => (
      <FieldOf
        key={field.name}
        field={field}
        payload={value}
        onChange={(path, next) => onChange(withMember(value, path, next))}
        error={error}
      />
    ))}
  </div>
)

interface FieldOfProps {
  readonly field: SchemaField
  readonly payload: Payload
  readonly onChange: (path: ReadonlyArray<string>, value: Json | undefined) => void
  readonly error: unknown
}

const FieldOf = ({ error, field, onChange, payload }: FieldOfProps) => {
  const t = catalogText
  const value = memberAt(payload, field.path)
  const set = (next: Json | undefined) => onChange(field.path, next)
  const label = field.title ?? field.name
  const common = {
    label,
    description: field.description,
    aside: field.required ? t.detail.required : undefined,
    error: fieldProblem(error, `payload.${field.path.join(".")}`, field.kind !== "group")
  }
  const written = typeof value === "string" ? value : ""
  const write = (next: string) => set(next === "" ? undefined : next)
  switch (field.kind) {
    case "text":
      return <TextField {...common} value={written} onChange={write} />
    case "long":
      return <TextArea {...common} value={written} onChange={write} />
    case "integer":
      return (
        <NumberField
          {...common}
          value={typeof value === "number" ? value : undefined}
          onChange={set}
          min={Number.MIN_SAFE_INTEGER}
          invalidText={t.tryIt.number}
        />
      )
    case "number":
      return <DecimalField {...common} value={typeof value === "number" ? value : undefined} onChange={set} />
    case "boolean":
      return (
        <Select
          {...common}
          value={value === true ? "true" : value === false ? "false" : "none"}
          onChange={(next) => set(next === "none" ? undefined : next === "true")}
          options={[
            { value: "none", text: t.tryIt.choose },
            { value: "true", text: t.tryIt.yes },
            { value: "false", text: t.tryIt.no }
          ]}
        />
      )
    case "choice":
      return (
        <Select
          {...common}
          value={field.choices.includes(written) ? written : ""}
          onChange={write}
          options={["", ...field.choices].map((choice) => ({
            value: choice,
            text: choice === "" ? t.tryIt.choose : choice
          }))}
        />
      )
    case "lines":
      return (
        <TextArea
          {...common}
          description={[field.description, t.tryIt.perLine].filter((each) => each !== undefined).join(" ")}
          value={Array.isArray(value) ? value.join("\n") : ""}
          onChange={(next) => set(next === "" ? undefined : next.split("\n"))}
        />
      )
    case "group":
      return (
        <fieldset className={`border-0 ${styles.group}`}>
          <legend className="type-control">{label}</legend>
          {field.description !== undefined && <p className="type-note text-3">{field.description}</p>}
          {field.fields.map((each) => (
            <FieldOf key={each.name} field={each} payload={payload} onChange={onChange} error={error} />
          ))}
        </fieldset>
      )
    case "json":
      return <JsonField {...common} description={field.description ?? t.tryIt.jsonHere} value={value} onChange={set} />
  }
}

interface OwnProps<V, Next = V> {
  readonly label: string
  readonly description?: string | undefined
  readonly aside?: string | undefined
  readonly error?: string | undefined
  readonly value: V
  readonly onChange: (value: Next) => void
}

/** Keeps typed text that is not a number yet. */
const DecimalField = ({ error, onChange, value, ...rest }: OwnProps<number | undefined>) => {
  const t = catalogText.tryIt
  const [typed, setTyped] = useState<string>()
  const read = typed === undefined || typed.trim() === "" ? undefined : Number(typed)
  const text = typed !== undefined && (read === undefined || Number.isNaN(read) ? value === undefined : read === value)
    ? typed
    : value === undefined
    ? ""
    : String(value)
  const unreadable = text.trim() !== "" && Number.isNaN(Number(text))
  return (
    <TextField
      {...rest}
      inputMode="decimal"
      value={text}
      error={error ?? (unreadable ? t.number : undefined)}
      data-unreadable={unreadable || undefined}
      onChange={(next) => {
        setTyped(next)
        const number = next.trim() === "" ? Number.NaN : Number(next)
        onChange(Number.isFinite(number) ? number : undefined)
      }}
    />
  )
}

/** Keeps typed text that is not JSON yet; invalid text is marked and must not be sent. */
export const JsonField = ({
  error,
  onChange,
  rows = 3,
  value,
  ...rest
}: OwnProps<unknown, Json | undefined> & {
  readonly rows?: number
  readonly labelHidden?: boolean
  readonly path?: string
}) => {
  const t = catalogText.tryIt
  const [typed, setTyped] = useState<string>()
  const written = value === undefined ? "" : JSON.stringify(value, null, 2)
  const read = typed === undefined ? undefined : readJson(typed)
  const isKept = read !== undefined &&
    (read.ok ? JSON.stringify(read.value) === JSON.stringify(value) : value === undefined)
  const unreadable = isKept && !read.ok
  return (
    <TextArea
      {...rest}
      mono
      rows={rows}
      value={isKept && typed !== undefined ? typed : written}
      error={error ?? (unreadable ? t.badJson : undefined)}
      data-unreadable={unreadable || undefined}
      onChange={(next) => {
        setTyped(next)
        const result = readJson(next)
        onChange(result.ok ? result.value : undefined)
      }}
    />
  )
}
