/**
 * A form for a new rule. The agent's own parser validates it; an invalid rule is not saved, and its error is shown
 * here.
 */
import type { DeviceRule, RuleEffect } from "@countersign/domain/device-rules"
import type { Tool } from "@countersign/domain/device-tools"
import { Button } from "@countersign/ui/components/button.tsx"
import { Checkbox } from "@countersign/ui/components/checkbox.tsx"
import { Select } from "@countersign/ui/components/select.tsx"
import { TextField } from "@countersign/ui/components/text-field.tsx"
import { splitWords } from "@countersign/ui/devices/split-words"
import { type SyntheticEvent, useState } from "react"
import type { OwnerRoot } from "../../bridge/owner.ts"
import type { Problem } from "./bridge-call.ts"
import styles from "./desk.module.css"
import { ProblemText } from "./problem-text.tsx"
import { ownerText as t } from "./text.ts"

export interface RuleFormProps {
  readonly roots: ReadonlyArray<OwnerRoot>
  readonly busy: boolean
  readonly problem: Problem | undefined
  readonly onAdd: (rule: DeviceRule) => void
  readonly onCancel: () => void
}

const effects = ["ask", "allow", "deny"] as const satisfies ReadonlyArray<RuleEffect>
/** Each tool of the contract, in its order. Imported as a type only, to keep the validators out of the page. */
const tools = Object.keys(
  {
    "shell.run": true,
    "fs.read": true,
    "fs.write": true,
    "fs.list": true,
    "fs.search": true,
    "http.get": true,
    "system.info": true
  } satisfies Readonly<Record<Tool, true>>
) as ReadonlyArray<Tool>
const placeless: ReadonlySet<Tool> = new Set(["http.get", "system.info"])

export const RuleForm = ({ busy, onAdd, onCancel, problem, roots }: RuleFormProps) => {
  const [effect, setEffect] = useState<RuleEffect>("ask")
  const [tool, setTool] = useState<Tool>("shell.run")
  const [command, setCommand] = useState("")
  const [root, setRoot] = useState("")
  const [note, setNote] = useState("")
  const [repeats, setRepeats] = useState(false)
  const { openQuote, words } = splitWords(command)
  const isProgram = tool === "shell.run"
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (busy || isProgram && openQuote) return
    onAdd({
      effect,
      tool,
      ...isProgram && words.length > 0 ? { argv: words } : {},
      ...root === "" || placeless.has(tool) ? {} : { root },
      ...repeats && effect === "allow" ? { repeats: true } : {},
      ...note.trim() === "" ? {} : { note: note.trim() }
    })
  }
  return (
    <form className={styles.form} aria-label={t.addRule} onSubmit={submit}>
      <div className={styles.pair}>
        <Select
          label={t.effect}
          value={effect}
          onChange={setEffect}
          options={effects.map((value) => ({ value, text: t.effects[value] }))}
          autoFocus
        />
        <Select
          label={t.tool}
          value={tool}
          onChange={setTool}
          options={tools.map((value) => ({ value, text: value }))}
        />
      </div>
      {isProgram && (
        <TextField
          label={t.command}
          description={effect === "allow" ? t.commandAllowHint : t.commandHint}
          mono
          value={command}
          onChange={setCommand}
          required={effect === "allow"}
          aside={effect === "allow" ? undefined : t.optional}
          error={openQuote ? t.openQuote : undefined}
        />
      )}
      {!placeless.has(tool) && (
        <Select
          label={t.place}
          value={root}
          onChange={setRoot}
          options={[{ value: "", text: t.anywhere }, ...roots.map(({ path }) => ({ value: path, text: path }))]}
        />
      )}
      <TextField label={t.note} aside={t.optional} value={note} onChange={setNote} maxLength={500} />
      {effect === "allow" && <Checkbox label={t.alsoRepeated} checked={repeats} onChange={setRepeats} />}
      {problem !== undefined && <ProblemText problem={problem} />}
      <div className={styles.acts}>
        <Button onClick={onCancel}>{t.cancel}</Button>
        <Button type="submit" variant="primary" pending={busy} pendingText={t.saving}>{t.add}</Button>
      </div>
    </form>
  )
}
