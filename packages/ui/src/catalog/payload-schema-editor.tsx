/** Edits the payload's schema as a list of fields. Parts of a field that its row does not show stay unchanged. */
import { Plus, Trash2 } from "lucide-react"
import { type ReactNode, useState } from "react"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Select } from "../components/select.tsx"
import { Tabs } from "../components/tabs.tsx"
import { TextField } from "../components/text-field.tsx"
import { catalogText } from "../text/catalog.ts"
import { isJsonObject } from "./read-json.ts"
import { typeOf } from "./schema-fields.ts"
import { JsonField } from "./schema-form.tsx"
import { type Draft, recordIn, withField } from "./service-draft.ts"
import styles from "./service-editor.module.css"

const types = ["string", "integer", "number", "boolean", "list"] as const
type FieldType = (typeof types)[number] | "other"

const typeIn = (schema: unknown): FieldType => {
  if (!isJsonObject(schema) || schema["$ref"] !== undefined) return "other"
  const type = typeOf(schema)
  if (type === "array") return isJsonObject(schema["items"]) && typeOf(schema["items"]) === "string" ? "list" : "other"
  return types.find((each) => each === type) ?? "other"
}

const withType = (schema: Draft, type: FieldType): Draft => {
  const { items: _, ...rest } = schema
  return type === "list"
    ? { ...rest, type: "array", items: { type: "string" } }
    : type === "other"
    ? schema
    : { ...rest, type }
}

export interface PayloadSchemaEditorProps {
  readonly value: unknown
  readonly onChange: (schema: unknown) => void
  readonly problem: ReactNode
  /** The operation's label, for the names of groups. */
  readonly label: string
}

export const PayloadSchemaEditor = ({ label, onChange, problem, value }: PayloadSchemaEditorProps) => {
  const t = catalogText.editor
  const [view, setView] = useState<"fields" | "schema">(isJsonObject(value) ? "fields" : "schema")
  return (
    <div className={styles.part}>
      <h4 className="type-label text-1">{t.payload}</h4>
      <p className="type-note text-3">{t.payloadAbout}</p>
      <Tabs
        label={t.schemaView(label)}
        tabs={[
          { value: "fields", text: t.fields },
          { value: "schema", text: t.schema }
        ]}
        value={view}
        onChange={setView}
      >
        <div className="pt-16">
          {view === "schema"
            ? (
              <JsonField
                label={t.schema}
                labelHidden
                rows={8}
                value={value}
                onChange={onChange}
                error={typeof problem === "string" ? problem : undefined}
              />
            )
            : <FieldRows schema={isJsonObject(value) ? value : {}} onChange={onChange} />}
        </div>
      </Tabs>
      {view === "fields" && problem !== undefined && (
        <p role="alert" className="type-note weight-label text-stop wrap-anywhere">
          {problem}
        </p>
      )}
    </div>
  )
}

const FieldRows = ({ onChange, schema }: { readonly schema: Draft; readonly onChange: (schema: Draft) => void }) => {
  const t = catalogText
  const e = t.editor
  const entries = Object.entries(recordIn(schema, "properties"))
  const required = Array.isArray(schema["required"])
    ? schema["required"].filter((name) => typeof name === "string")
    : []
  const write = (next: ReadonlyArray<readonly [string, unknown]>, names: ReadonlyArray<string>) => {
    const { required: _, ...rest } = schema
    onChange({
      ...rest,
      type: "object",
      properties: Object.fromEntries(next),
      ...(names.length === 0 ? {} : { required: names })
    })
  }
  const set = (at: number, name: string, field: unknown) =>
    write(
      entries.map((entry, index) => (index === at ? [name, field] : entry)),
      required.map((each) => (each === entries[at]?.[0] ? name : each))
    )
  const typeOptions = (["string", "integer", "number", "boolean"] as const).map((value) => ({
    value: value as FieldType,
    text: t.detail.types[value]
  }))
  const options = [
    ...typeOptions,
    { value: "list" as FieldType, text: t.detail.listOf(t.detail.types.string) },
    { value: "other" as FieldType, text: e.otherType, disabled: true }
  ]
  /** An unused field name: two fields of one name would be merged. */
  const freshName = () => {
    for (let number = entries.length + 1;; number++) {
      if (!entries.some(([name]) => name === `field_${number}`)) return `field_${number}`
    }
  }
  return (
    <div className="grid gap-12 min-w-0 border-0">
      {entries.length === 0 && <p className="type-note text-3">{e.noFields}</p>}
      {entries.map(([name, field], at) => {
        const known = isJsonObject(field) ? field : {}
        return (
          <fieldset key={at} className={`grid gap-8 gap-x-12 min-w-0 border-0 ${styles.row}`}>
            <legend className="sr-only">{e.fieldRow(name)}</legend>
            <TextField
              label={e.fieldName}
              mono
              value={name}
              onChange={(next) => {
                if (!entries.some(([other], index) => index !== at && other === next)) set(at, next, field)
              }}
            />
            <Select
              label={e.fieldType}
              value={typeIn(field)}
              onChange={(type) => set(at, name, withType(known, type))}
              options={options}
            />
            <TextField
              label={e.fieldTitle}
              value={typeof known["title"] === "string" ? known["title"] : ""}
              onChange={(title) => set(at, name, withField(known, "title", title))}
            />
            <div className={`flex flex-wrap items-center gap-12 ${styles.marks}`}>
              <Checkbox
                label={e.fieldRequired}
                checked={required.includes(name)}
                onChange={(on) => write(entries, on ? [...required, name] : required.filter((each) => each !== name))}
              />
              <Checkbox
                label={e.fieldHidden}
                title={e.fieldHiddenAbout}
                checked={known["writeOnly"] === true}
                onChange={(on) => set(at, name, withField(known, "writeOnly", on ? true : undefined))}
              />
            </div>
            <IconButton
              label={e.removeField(name === "" ? e.unnamed : name)}
              icon={<Trash2 />}
              onClick={() =>
                write(
                  entries.filter((_, index) => index !== at),
                  required.filter((each) => each !== name)
                )}
            />
          </fieldset>
        )
      })}
      <div className="flex flex-wrap items-center gap-8 gap-x-24">
        <Button
          size="small"
          icon={<Plus />}
          onClick={() => write([...entries, [freshName(), { type: "string" }]], required)}
        >
          {e.addField}
        </Button>
        <Checkbox
          label={e.closed}
          checked={schema["additionalProperties"] === false}
          onChange={(on) => onChange(withField(schema, "additionalProperties", on ? false : undefined))}
        />
      </div>
    </div>
  )
}
