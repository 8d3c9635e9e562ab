/** The plain members of a payload as fields; what is nested is edited as JSON. What is hidden stays as it is. */
import { useState } from "react"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Select } from "../components/select.tsx"
import { TextArea } from "../components/text-area.tsx"
import { TextField } from "../components/text-field.tsx"
import { isMasked } from "../patterns/json-lines.ts"
import { approvalText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./dialogs.module.css"
import { type Payload, readNumber } from "./payload-text.ts"

/** A text that is longer, or has lines, gets a field of several. */
const lineMax = 60

const titlesOf = (schema: unknown): Readonly<Record<string, string>> => {
  const properties = typeof schema === "object" && schema !== null ? (schema as { readonly properties?: unknown }).properties : undefined
  return typeof properties !== "object" || properties === null ? {} : Object.fromEntries(Object.entries(properties).flatMap(([name, each]) => {
    const title = typeof each === "object" && each !== null ? (each as { readonly title?: unknown }).title : undefined
    return typeof title === "string" && title !== "" ? [[name, title]] : []
  }))
}

export interface PayloadFieldEditorProps {
  readonly payload: Payload
  readonly schema: unknown
  readonly onChange: (payload: Payload) => void
  readonly onJson: () => void
}

export const PayloadFieldEditor = ({ onChange, onJson, payload, schema }: PayloadFieldEditorProps) => {
  const t = useText(approvalText).edit
  const titles = titlesOf(schema)
  return (
    <div className={styles.fields}>
      {Object.entries(payload).map(([name, value]) => {
        const label = titles[name] ?? name
        const set = (next: unknown) => onChange({ ...payload, [name]: next })
        if (typeof value === "string") {
          return value.length > lineMax || value.includes("\n")
            ? <TextArea key={name} label={label} value={value} onChange={set} />
            : <TextField key={name} label={label} value={value} onChange={set} />
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
          <div key={name} className={styles.fixed}>
            <span className={styles.fixedName}>{label}</span>
            {isMasked(value) ? <Badge>{t.hidden}</Badge> : <Button size="small" variant="bare" onClick={onJson}>{t.inJson}</Button>}
          </div>
        )
      })}
    </div>
  )
}

/** Keeps what is typed while it is no number yet. */
const NumberText = ({ label, onChange, value }: { readonly label: string; readonly value: number; readonly onChange: (value: number) => void }) => {
  const t = useText(approvalText).edit
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
