/** The payload of an operation as a table: name, type in words, and description. */
import { useState } from "react"
import { Badge } from "../components/badge.tsx"
import { Tabs } from "../components/tabs.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { catalogText } from "../text/catalog.ts"
import { figure } from "../text/catalogue.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { JsonBlock } from "./json-block.tsx"
import { isOpen, resolveSchema, type Schema, type SchemaField, schemaFields, typeOf } from "./schema-fields.ts"
import styles from "./schema-table.module.css"

type Words = typeof catalogText.detail

const typeWords = (t: Words, root: unknown, schema: Schema): string => {
  const values = schema["enum"]
  if (Array.isArray(values)) return t.oneOf(values.map((value) => JSON.stringify(value)).join(", "))
  const type = typeOf(schema)
  if (type === "array") return t.listOf(typeWords(t, root, resolveSchema(root, schema["items"])))
  return type !== undefined && type in t.types ? t.types[type as keyof Words["types"]] : t.types.any
}

const limitWords = (t: Words, schema: Schema): ReadonlyArray<string> => {
  const number = (name: string) => (typeof schema[name] === "number" ? figure(schema[name]) : undefined)
  const [min, max, shortest, longest] = ["minimum", "maximum", "minLength", "maxLength"].map(number)
  return [
    ...(min === undefined ? [] : [t.atLeast(min)]),
    ...(max === undefined ? [] : [t.atMost(max)]),
    ...(shortest === undefined && longest === undefined ? [] : [t.characters(shortest, longest)]),
    ...(typeof schema["format"] === "string" ? [schema["format"]] : [])
  ]
}

const flat = (fields: ReadonlyArray<SchemaField>): ReadonlyArray<SchemaField> =>
  fields.flatMap((field) => [field, ...flat(field.fields)])

export const SchemaTable = ({ schema }: { readonly schema: unknown }) => {
  const t = catalogText.detail
  const [view, setView] = useState<"form" | "json">("form")
  return (
    <Tabs
      label={t.payload}
      tabs={[
        { value: "form", text: t.form },
        { value: "json", text: t.json }
      ]}
      value={view}
      onChange={setView}
    >
      <div className="pt-8">
        {view === "json" ? <JsonBlock value={schema} label={t.json} /> : <Fields schema={schema} />}
      </div>
    </Tabs>
  )
}

const Fields = ({ schema }: { readonly schema: unknown }) => {
  const t = catalogText.detail
  const fields = flat(schemaFields(schema))
  return (
    <>
      {fields.length === 0 ? <p className="mt-8 type-note text-3">{t.fieldsEmpty}</p> : (
        <dl className="grid">
          {fields.map((field) => (
            <div key={field.path.join("/")} className={styles.field}>
              <dt className="flex flex-wrap items-baseline gap-2 gap-x-12">
                <code className="type-mono weight-label wrap-anywhere">{field.path.join(".")}</code>
                <span className="type-note text-2">
                  {[typeWords(t, schema, field.schema), ...limitWords(t, field.schema)].join(", ")}
                </span>
                {field.required && <Badge>{t.required}</Badge>}
                {field.hidden && <Badge>{t.hidden}</Badge>}
              </dt>
              {(field.title ?? field.description) !== undefined && (
                <dd className="max-w-reading mt-2 type-body text-2">
                  <RevealedText
                    text={[field.title, field.description].filter((each) => each !== undefined).join(". ")}
                    texts={reveal}
                  />
                </dd>
              )}
            </div>
          ))}
        </dl>
      )}
      <p className="mt-8 type-note text-3">{isOpen(schema) ? t.open : t.closed}</p>
    </>
  )
}
