/** Name-value pairs, such as headers, one per line. */
import { Plus, Trash2 } from "lucide-react"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { TextField } from "../components/text-field.tsx"
import { catalogText } from "../text/catalog.ts"
import type { Draft } from "./service-draft.ts"
import styles from "./service-editor.module.css"

export interface EntriesEditorProps {
  readonly label: string
  readonly value: Draft
  readonly onChange: (value: Draft | undefined) => void
  /** The error of one entry. */
  readonly problem: (name: string) => string | undefined
}

export const EntriesEditor = ({ label, onChange, problem, value }: EntriesEditorProps) => {
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
