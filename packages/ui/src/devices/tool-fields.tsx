/** The input fields of each tool. */
import { Checkbox } from "../components/checkbox.tsx"
import { NumberField, TextArea } from "../components/fields.tsx"
import { TextField } from "../components/text-field.tsx"
import type { Tool } from "../hub/queries.ts"
import { commandsText } from "../text/commands.ts"
import { ArgvFields } from "./argv-fields.tsx"
import { ArgvView } from "./argv-view.tsx"
import styles from "./queue-screen.module.css"
import { type Draft, isUrl, limits, variablesIn } from "./tool-input.ts"

export interface ToolFieldsProps {
  readonly tool: Tool
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** The hub's error for the input as a whole. */
  readonly error?: string | undefined
}

export const ToolInputFields = ({ draft, error, onChange, tool }: ToolFieldsProps) => {
  const t = commandsText.queue
  const set = (changes: Partial<Draft>) => onChange({ ...draft, ...changes })
  const path = (
    <TextField
      label={t.path}
      description={t.pathAbout}
      value={draft.path}
      onChange={(path) => set({ path })}
      mono
      required
      error={error}
    />
  )
  const number = (name: "offset" | "limit" | "depth" | "max", label: string, min: number, max: number) => (
    <NumberField
      label={label}
      aside={t.optional}
      value={draft[name]}
      onChange={(value) => set({ [name]: value })}
      min={min}
      max={max}
      invalidText={t.number}
    />
  )
  switch (tool) {
    case "shell.run":
      return (
        <>
          <ArgvFields
            program={draft.program}
            words={draft.words}
            onChange={(program, words) => set({ program, words })}
            error={error}
          />
          {draft.program !== "" && (
            <div className="grid gap-4 p-12 rounded-control bg-sunken">
              <span className="type-label text-3">{t.asRun}</span>
              <ArgvView argv={[draft.program, ...draft.words]} />
            </div>
          )}
          <TextArea
            label={t.environment}
            aside={t.optional}
            description={t.environmentAbout}
            value={draft.variables}
            onChange={(variables) => set({ variables })}
            rows={2}
            mono
            error={variablesIn(draft.variables) === undefined ? t.environmentWrong : undefined}
          />
          <TextArea
            label={t.stdin}
            aside={t.optional}
            value={draft.stdin}
            onChange={(stdin) => set({ stdin })}
            rows={2}
            mono
          />
        </>
      )
    case "fs.read":
      return (
        <>
          {path}
          <div className={styles.pair}>
            {number("offset", t.offset, 0, Number.MAX_SAFE_INTEGER)}
            {number("limit", t.limit, 1, limits.readBytes)}
          </div>
        </>
      )
    case "fs.write":
      return (
        <>
          {path}
          <TextArea label={t.content} value={draft.content} onChange={(content) => set({ content })} rows={6} mono />
          <Checkbox
            label={t.createParents}
            checked={draft.createParents}
            onChange={(createParents) => set({ createParents })}
          />
        </>
      )
    case "fs.list":
      return (
        <>
          {path}
          <div className={styles.pair}>{number("depth", t.depth, 1, limits.depth)}</div>
        </>
      )
    case "fs.search":
      return (
        <>
          {path}
          <TextField
            label={t.pattern}
            description={t.patternAbout}
            value={draft.pattern}
            onChange={(pattern) => set({ pattern })}
            mono
            required
          />
          <div className={styles.pair}>
            <TextField
              label={t.glob}
              aside={t.optional}
              value={draft.glob}
              onChange={(glob) => set({ glob })}
              mono
              placeholder={t.globExample}
            />
            {number("max", t.max, 1, limits.hits)}
          </div>
        </>
      )
    case "http.get":
      return (
        <TextField
          label={t.url}
          description={t.urlAbout}
          type="url"
          value={draft.url}
          onChange={(url) => set({ url })}
          mono
          required
          error={draft.url !== "" && !isUrl(draft.url.trim()) ? t.urlWrong : error}
        />
      )
    case "system.info":
      return null
  }
}
