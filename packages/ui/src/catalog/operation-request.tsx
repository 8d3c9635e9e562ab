/** The request of an operation besides its path: query, headers, and body, with their encoding. */
import { Plus, Trash2 } from "lucide-react"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { catalogText } from "../text/catalog.ts"
import { JsonField } from "./schema-form.tsx"
import { bodyTypes, type Draft, queryStyles, recordIn } from "./service-draft.ts"
import styles from "./service-editor.module.css"

export interface OperationRequestProps {
  readonly operation: Draft
  readonly set: (field: string, value: unknown) => void
  /** The error at a path below the operation. */
  readonly problem: (path: string, within?: boolean) => string | undefined
}

export const OperationRequest = ({ operation, problem, set }: OperationRequestProps) => {
  const t = catalogText.editor
  const query = recordIn(operation, "query")
  const takesBody = operation["method"] !== "GET" && operation["method"] !== "HEAD"
  const bodyType = bodyTypes.find((each) => each === operation["body_type"]) ?? "json"
  const hasLists = Object.keys(query).length > 0 || bodyType === "form" || operation["query_style"] !== undefined
  return (
    <>
      <EntriesEditor
        label={t.query}
        value={query}
        onChange={(next) => set("query", next)}
        problem={(at) => problem(`query.${at}`, true)}
      />
      {hasLists && (
        <Select
          label={t.queryStyle}
          description={t.queryStyleAbout}
          value={queryStyles.find((each) => each === operation["query_style"]) ?? ""}
          onChange={(next) => set("query_style", next)}
          options={["" as const, ...queryStyles].map((value) => ({
            value,
            text: t.queryStyles[value === "" ? "unset" : value]
          }))}
          error={problem("query_style")}
        />
      )}
      <EntriesEditor
        label={t.headers}
        value={recordIn(operation, "headers")}
        onChange={(next) => set("headers", next)}
        problem={(at) => problem(`headers.${at}`, true)}
      />
      {takesBody && (
        <>
          <Select
            label={t.bodyType}
            value={bodyType}
            onChange={(next) => set("body_type", next === "json" ? undefined : next)}
            options={bodyTypes.map((value) => ({ value, text: t.bodyTypes[value] }))}
            error={problem("body_type")}
          />
          <JsonField
            label={t.body}
            aside={t.optional}
            description={t.bodyAbouts[bodyType]}
            value={operation["body"]}
            onChange={(next) => set("body", next)}
            error={problem("body", true)}
          />
        </>
      )}
    </>
  )
}

interface EntriesEditorProps {
  readonly label: string
  readonly value: Draft
  readonly onChange: (value: Draft | undefined) => void
  /** The error of one entry. */
  readonly problem: (name: string) => string | undefined
}

/** Name-value pairs, such as headers, one per line. */
const EntriesEditor = ({ label, onChange, problem, value }: EntriesEditorProps) => {
  const t = catalogText.editor
  const entries = Object.entries(value)
  const write = (next: ReadonlyArray<readonly [string, unknown]>) =>
    onChange(next.length === 0 ? undefined : Object.fromEntries(next))
  const isTaken = (name: string, at: number) => entries.some(([other], index) => index !== at && other === name)
  return (
    <fieldset className={`grid gap-12 min-w-0 border-0 ${styles.entries}`}>
      <legend className={`type-label text-1 ${styles.label}`}>{label}</legend>
      {entries.map(([name, each], at) => (
        <div key={at} className={`grid items-start gap-8 ${styles.entry}`}>
          <TextField
            label={t.entryName}
            labelHidden
            placeholder={t.entryName}
            mono
            value={name}
            onChange={(next) =>
              !isTaken(next, at) && write(entries.map((entry, index) => (index === at ? [next, each] : entry)))}
          />
          <TextField
            label={t.entryValue}
            labelHidden
            placeholder={t.entryValue}
            mono
            value={typeof each === "string" ? each : String(each)}
            onChange={(next) => write(entries.map((entry, index) => (index === at ? [name, next] : entry)))}
            error={problem(name)}
          />
          <IconButton
            label={t.removeEntry(name)}
            icon={<Trash2 />}
            onClick={() => write(entries.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div>
        <Button size="small" icon={<Plus />} disabled={isTaken("", -1)} onClick={() => write([...entries, ["", ""]])}>
          {t.addEntry}
        </Button>
      </div>
    </fieldset>
  )
}
