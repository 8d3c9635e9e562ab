/** The rules in words; each change is saved at once and can be undone. A button opens the file as text. */
import { settledRules } from "@countersign/domain/device-rule-defaults"
import type { DeviceRules } from "@countersign/domain/device-rules"
import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { RadioGroup } from "@countersign/ui/components/radio-group.tsx"
import { useEffect, useRef, useState } from "react"
import type { OwnerBridge, OwnerRoot, OwnerRules } from "../../bridge/owner.ts"
import { useBridgeCall } from "./bridge-call.ts"
import styles from "./desk.module.css"
import { ProblemText } from "./problem-text.tsx"
import { RuleForm } from "./rule-form.tsx"
import { RuleRow } from "./rule-row.tsx"
import { RulesJson } from "./rules-json.tsx"
import { ownerText as t } from "./text.ts"

export interface RulesPanelProps {
  readonly bridge: OwnerBridge
  readonly rules: OwnerRules
  readonly roots: ReadonlyArray<OwnerRoot>
  readonly sandbox: boolean
  readonly reportsLock: boolean
}

interface SaveStatus {
  readonly text: string
  /** The previous content of the file. */
  readonly before?: string
}

const textOf = (rules: DeviceRules): string => `${JSON.stringify(rules, null, 2)}\n`

/** Members of the file that have their own controls in this window. */
const shown: ReadonlySet<string> = new Set(["version", "rules", "ask_via", "sandbox"])
const asks = ["screen", "hub", "none"] as const
const sandboxes = ["available", "required", "off"] as const

export const RulesPanel = ({ bridge, reportsLock, roots, rules: file, sandbox }: RulesPanelProps) => {
  const { ask, busy, forget, problem } = useBridgeCall()
  const [status, setStatus] = useState<SaveStatus>({ text: "" })
  const [open, setOpen] = useState<"add" | "json">()
  const add = useRef<HTMLButtonElement>(null)
  const wasAdding = useRef(false)
  useEffect(() => {
    if (wasAdding.current && open === undefined) add.current?.focus()
    wasAdding.current = open === "add"
  }, [open])

  const save = (text: string, then: SaveStatus, onDone?: () => void) =>
    ask(() => bridge.saveRules({ text, seen: file.digest }), () => {
      setStatus(then)
      onDone?.()
    })
  const show = (part: "add" | "json" | undefined) => {
    forget()
    setStatus({ text: "" })
    setOpen(part)
  }

  if (file.kind === "problem") {
    return (
      <Panel title={t.rules}>
        <div className={styles.stack}>
          <div className={styles.problem} role="alert">
            <p className={styles.strong}>{t.rulesProblem}</p>
            <p>{file.problem}</p>
            <p>{t.rulesProblemLead}</p>
          </div>
          {file.text !== null && (
            <RulesJson
              bridge={bridge}
              file={{ text: file.text, digest: file.digest }}
              onSaved={() => setStatus({ text: t.saved })}
            />
          )}
        </div>
      </Panel>
    )
  }

  const { rules, text } = file
  /** Each change saves a complete file, so the previous one can be restored. */
  const change = (next: Partial<DeviceRules>, status: string, onDone?: () => void) =>
    void save(textOf({ ...rules, ...next }), { text: status, before: text }, onDone)
  const { ask_via: via, sandbox: sandboxMode } = settledRules(rules)
  const more = Object.keys(rules).filter((name) => !shown.has(name))
  const { before } = status
  const aboutSandbox = {
    available: sandbox ? t.sandboxAbout.works : t.sandboxAbout.missing,
    required: sandbox ? t.sandboxAbout.required : t.sandboxAbout.requiredMissing,
    off: t.sandboxAbout.off
  }
  return (
    <>
      <Panel
        title={t.rules}
        actions={open !== "add" && <Button ref={add} size="small" onClick={() => show("add")}>{t.addRule}</Button>}
      >
        <div className={styles.stack}>
          <p className={styles.lead}>{rules.rules.length === 0 ? t.noRules : t.rulesLead}</p>
          {rules.rules.length > 0 && (
            <ul className={styles.rows}>
              {rules.rules.map((rule, at) => (
                <RuleRow
                  // Rules have no ids; a changed list is rendered again.
                  key={`${file.digest} ${at}`}
                  rule={rule}
                  busy={busy}
                  onRemove={() => change({ rules: rules.rules.filter((_, each) => each !== at) }, t.removed)}
                />
              ))}
            </ul>
          )}
          {open === "add" && (
            <RuleForm
              roots={roots}
              busy={busy}
              problem={problem}
              onCancel={() => show(undefined)}
              onAdd={(rule) => change({ rules: [...rules.rules, rule] }, t.saved, () => setOpen(undefined))}
            />
          )}
        </div>
      </Panel>
      <Panel title={t.asking}>
        <RadioGroup
          label={t.asking}
          labelHidden
          value={via}
          onChange={(value) => change({ ask_via: value }, t.saved)}
          options={asks.map((value) => ({
            value,
            text: t.askVia[value],
            description: value === "screen" && !reportsLock ? t.lockUntold : t.askViaAbout[value]
          }))}
        />
      </Panel>
      <Panel title={t.sandbox}>
        <RadioGroup
          label={t.sandbox}
          labelHidden
          value={sandboxMode}
          onChange={(value) => change({ sandbox: value }, t.saved)}
          options={sandboxes.map((value) => ({ value, text: t.sandboxes[value], description: aboutSandbox[value] }))}
        />
      </Panel>
      <div className={styles.raw}>
        {more.length > 0 && <p className={styles.lead}>{t.moreRules(more.join(", "))}</p>}
        <Button size="small" aria-expanded={open === "json"} onClick={() => show(open === "json" ? undefined : "json")}>
          {open === "json" ? t.rawHide : t.raw}
        </Button>
        {open === "json" && (
          <RulesJson
            bridge={bridge}
            file={{ text, digest: file.digest }}
            onSaved={() => setStatus({ text: t.saved, before: text })}
          />
        )}
      </div>
      <div className={styles.foot}>
        {problem !== undefined && open !== "add" && <ProblemText problem={problem} />}
        <div className={styles.status} role="status">
          <span>{status.text}</span>
          {before !== undefined && (
            <Button size="small" onClick={() => void save(before, { text: t.restored })}>{t.undo}</Button>
          )}
        </div>
      </div>
    </>
  )
}
