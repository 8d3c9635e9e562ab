/** The connections of a step: what it runs after, under which condition, and what it leads to. */
import type { Detail } from "@countersign/domain/errors"
import { X } from "lucide-react"
import { useState } from "react"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { TextField } from "../components/text-field.tsx"
import { workflowEditorText } from "../text/workflow-editor.ts"
import { connect, disconnect, type Draft, legalSources, legalTargets, setWhen } from "./draft.ts"
import styles from "./editor.module.css"
import { edgeProblem } from "./problems.ts"

const t = workflowEditorText.connections
const whenMax = 4_096

interface ConnectionsProps {
  readonly draft: Draft
  readonly label: string
  readonly problems: ReadonlyArray<Detail>
  readonly mayChange: boolean
  readonly onChange: (draft: Draft) => void
  readonly onSelect: (label: string) => void
}

export const Connections = ({ draft, label, mayChange, onChange, onSelect, problems }: ConnectionsProps) => {
  const incoming = draft.edges.filter(({ to }) => to === label)
  const outgoing = draft.edges.filter(({ from }) => from === label)
  return (
    <section className="grid gap-12" aria-label={t.title}>
      <Heading
        text={t.incoming}
        act={t.connectFrom}
        choices={legalSources(draft, label)}
        mayChange={mayChange}
        onChoose={(from) => onChange(connect(draft, from, label))}
      />
      {incoming.length === 0 ? <p className="type-note text-2">{t.noIncoming}</p> : (
        <ul className="grid gap-8">
          {incoming.map(({ from, when }) => (
            <li key={from} className="grid gap-4">
              <Line
                from={from}
                to={label}
                other={from}
                mayChange={mayChange}
                onSelect={onSelect}
                onRemove={() => onChange(disconnect(draft, from, label))}
              />
              <When
                key={`${from} ${label}`}
                from={from}
                to={label}
                when={when ?? ""}
                mayChange={mayChange}
                error={edgeProblem(draft, from, label, problems)}
                onChange={(text) => onChange(setWhen(draft, from, label, text))}
              />
            </li>
          ))}
        </ul>
      )}
      <Heading
        text={t.outgoing}
        act={t.connectTo}
        choices={legalTargets(draft, label)}
        mayChange={mayChange}
        onChoose={(to) => onChange(connect(draft, label, to))}
      />
      {outgoing.length === 0 ? <p className="type-note text-2">{t.noOutgoing}</p> : (
        <ul className="grid gap-4">
          {outgoing.map(({ to, when }) => (
            <li key={to} className="grid gap-4">
              <Line
                from={label}
                to={to}
                other={to}
                mayChange={mayChange}
                onSelect={onSelect}
                onRemove={() => onChange(disconnect(draft, label, to))}
              />
              {when !== undefined && <code className="type-mono text-3 wrap-anywhere">{when}</code>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface HeadingProps {
  readonly text: string
  readonly act: string
  readonly choices: ReadonlyArray<string>
  readonly mayChange: boolean
  readonly onChoose: (label: string) => void
}

const Heading = ({ act, choices, mayChange, onChoose, text }: HeadingProps) => (
  <div className="flex items-center justify-between gap-8">
    <h3 className="type-label text-2">{text}</h3>
    {mayChange && (
      <Menu align="end" trigger={<Button size="small" aria-haspopup="menu">{act}</Button>}>
        {choices.length === 0
          ? <MenuItem disabled>{t.noTarget}</MenuItem>
          : choices.map((choice) => (
            <MenuItem
              key={choice}
              onSelect={() => onChoose(choice)}
            >
              {choice}
            </MenuItem>
          ))}
      </Menu>
    )}
  </div>
)

interface LineProps {
  readonly from: string
  readonly to: string
  /** The step at the other end. */
  readonly other: string
  readonly mayChange: boolean
  readonly onSelect: (label: string) => void
  readonly onRemove: () => void
}

const Line = ({ from, mayChange, onRemove, onSelect, other, to }: LineProps) => (
  <div className="flex items-center justify-between gap-8">
    <button type="button" className={styles.other} onClick={() => onSelect(other)}>{other}</button>
    {mayChange && <IconButton label={t.remove(from, to)} icon={<X />} onClick={onRemove} />}
  </div>
)

interface WhenProps {
  readonly from: string
  readonly to: string
  readonly when: string
  readonly mayChange: boolean
  readonly error: string | undefined
  readonly onChange: (when: string) => void
}

const When = ({ error, from, mayChange, onChange, to, when }: WhenProps) => {
  const [isOpen, setOpen] = useState(when !== "")
  if (!isOpen && when === "") {
    return (
      <>
        {mayChange && (
          <div>
            <Button size="small" variant="bare" aria-label={t.addWhenOf(from, to)} onClick={() => setOpen(true)}>
              {t.addWhen}
            </Button>
          </div>
        )}
        {error !== undefined && <p role="alert" className="type-note weight-label text-stop">{error}</p>}
      </>
    )
  }
  return (
    <TextField
      label={t.when(from)}
      description={t.whenAbout}
      mono
      maxLength={whenMax}
      readOnly={!mayChange}
      value={when}
      onChange={onChange}
      error={error}
    />
  )
}
