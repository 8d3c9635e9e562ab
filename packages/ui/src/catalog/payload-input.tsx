/** A payload as a form of its schema, or as JSON. */
import type { Json } from "@countersign/domain/json"
import { useState } from "react"
import { Tabs } from "../components/tabs.tsx"
import { isJsonObject } from "./read-json.ts"
import { schemaFields } from "./schema-fields.ts"
import { JsonField, SchemaForm } from "./schema-form.tsx"

export interface PayloadInputProps {
  /** The label of the JSON. */
  readonly label: string
  readonly text: { readonly view: string; readonly form: string; readonly json: string }
  readonly schema: unknown
  readonly value: unknown
  readonly onChange: (value: Json | undefined) => void
  /** The error of the last call, shown at the form's fields. */
  readonly error: unknown
  /** The fault of the JSON. */
  readonly jsonError?: string | undefined
  /** The path of the JSON in the call. */
  readonly path?: string
}

export const PayloadInput = (
  { error, jsonError, label, onChange, path, schema, text, value }: PayloadInputProps
) => {
  const hasFields = schemaFields(schema).length > 0
  const [picked, setView] = useState<"form" | "json">()
  const view = picked ?? (hasFields ? "form" : "json")
  return (
    <Tabs
      label={text.view}
      tabs={[{ value: "form", text: text.form, disabled: !hasFields }, { value: "json", text: text.json }]}
      value={view}
      onChange={setView}
    >
      {view === "form"
        ? <SchemaForm schema={schema} value={isJsonObject(value) ? value : {}} onChange={onChange} error={error} />
        : (
          <JsonField
            label={label}
            rows={6}
            value={value}
            onChange={onChange}
            error={jsonError}
            {...path === undefined ? {} : { path }}
          />
        )}
    </Tabs>
  )
}
