/** Scalar members of a payload as fields; nested members are edited as JSON. Masked values stay unchanged. */
import { revealedParts } from "@countersign/domain/hidden-characters"
import { isMask } from "@countersign/domain/mask"
import { useState } from "react"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { TextArea } from "../components/fields.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { approvalText } from "../text/approvals.ts"
import styles from "./dialogs.module.css"
import { type Payload, readNumber } from "./payload-text.ts"
import { revealTexts } from "./words.ts"

/** A longer or multi-line text gets a multi-line field. */
const lineMax = 60

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const propertiesOf = (schema: unknown): Readonly<Record<string, unknown>> =>
  isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {}

const titleOf = (schema: unknown, name: string): string => {
  const property = propertiesOf(schema)[name]
  const title = isRecord(property) ? property["title"] : undefined
  return typeof title === "string" && title !== "" ? title : name
}

/** In the order of the schema, then the members that it does not name. */
const inOrder = (payload: Payload, schema: unknown): ReadonlyArray<readonly [string, unknown]> => {
  const named = Object.keys(propertiesOf(schema)).filter((name) => Object.hasOwn(payload, name))
  return [...named, ...Object.keys(payload).filter((name) => !named.includes(name))].map((name) =>
    [name, payload[name]] as const
  )
}

/** Characters that a field cannot show: hidden ones and lookalikes, listed with their code points. */
const Disguised = ({ text }: { readonly text: string }) => {
  const texts = revealTexts(approvalText)
  return revealedParts(text).every(({ kind }) => kind === "plain") ? null : <RevealedText text={text} texts={texts} />
}

export interface PayloadFieldEditorProps {
  readonly payload: Payload
  readonly schema: unknown
  readonly onChange: (payload: Payload) => void
  readonly onJson: () => void
}

export const PayloadFieldEditor = ({ onChange, onJson, payload, schema }: PayloadFieldEditorProps) => {
  const t = approvalText.edit
  return (
    <div className="grid gap-12">
      {inOrder(payload, schema).map(([name, value]) => {
        const label = titleOf(schema, name)
        const set = (next: unknown) => onChange({ ...payload, [name]: next })
        if (typeof value === "string") {
          const Field = value.length > lineMax || value.includes("\n") ? TextArea : TextField
          return (
            <Field key={name} label={label} value={value} onChange={set} description={<Disguised text={value} />} />
          )
        }
        if (typeof value === "number") return <NumberText key={name} label={label} value={value} onChange={set} />
        if (typeof value === "boolean") {
          return (
            <Select
              key={name}
              label={label}
              value={String(value)}
              onChange={(next) => set(next === "true")}
              options={[{ value: "true", text: t.yes }, { value: "false", text: t.no }]}
            />
          )
        }
        return (
          <div key={name} className={`flex items-center gap-12 ${styles.fixed}`}>
            <span className="type-label text-2">{label}</span>
            {isMask(value)
              ? <Badge>{t.hidden}</Badge>
              : <Button size="small" variant="bare" onClick={onJson}>{t.inJson}</Button>}
          </div>
        )
      })}
    </div>
  )
}

/** Keeps typed text that is not a number yet. */
const NumberText = ({ label, onChange, value }: {
  readonly label: string
  readonly value: number
  readonly onChange: (value: number) => void
}) => {
  const t = approvalText.edit
  const [text, setText] = useState(String(value))
  const isNumber = readNumber(text) !== undefined
  return (
    <TextField
      label={label}
      inputMode="decimal"
      value={text}
      error={isNumber ? undefined : t.notNumber}
      onChange={(next) => {
        setText(next)
        const number = readNumber(next)
        if (number !== undefined) onChange(number)
      }}
    />
  )
}
