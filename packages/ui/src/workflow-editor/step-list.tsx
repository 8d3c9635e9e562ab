/** The steps in the order in which they run. It is one tab stop: arrow keys move through it. */
import { type KeyboardEvent, useId } from "react"
import { Badge } from "../components/badge.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { workflowEditorText as t } from "../text/workflow-editor.ts"
import { stepTypeNames } from "../text/workflows.ts"
import { type Draft, ordered } from "./draft.ts"
import styles from "./editor.module.css"

interface StepListProps {
  readonly draft: Draft
  readonly selected: string | undefined
  readonly problemCount: (label: string) => number
  readonly onSelect: (label: string) => void
  readonly onOpen: (label: string) => void
  readonly onKey: (event: KeyboardEvent, label: string) => void
}

export const StepList = ({ draft, onKey, onOpen, onSelect, problemCount, selected }: StepListProps) => {
  const id = useId()
  const labels = ordered(draft)
  const tabStop = selected !== undefined && labels.includes(selected) ? selected : labels[0]
  const stepBy = (from: string, by: number) => {
    const next = labels[labels.indexOf(from) + by]
    if (next === undefined) return
    onSelect(next)
    document.getElementById(id)?.querySelector<HTMLElement>(`[data-step="${next}"]`)?.focus()
  }
  return (
    <>
      <ol
        id={id}
        className={styles.list}
        aria-label={t.list}
        aria-describedby={`${id}-keys`}
        onKeyDown={(event) => {
          const at = event.target instanceof HTMLElement ? event.target.dataset["step"] : undefined
          if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return
          if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault()
            stepBy(at, event.key === "ArrowDown" ? 1 : -1)
          } else if (event.key === "Enter") {
            event.preventDefault()
            onOpen(at)
          } else onKey(event, at)
        }}
      >
        {labels.map((label) => {
          const step = draft.steps.find((each) => each.label === label)
          if (step === undefined) return null
          const sources = draft.edges.filter(({ to }) => to === label).map(({ from }) => from)
          const count = problemCount(label)
          return (
            <li key={label}>
              <button
                type="button"
                className={styles.row}
                data-step={label}
                tabIndex={label === tabStop ? 0 : -1}
                aria-current={label === selected || undefined}
                onClick={() => onSelect(label)}
                onDoubleClick={() => onOpen(label)}
              >
                <span className="flex flex-wrap items-center gap-8">
                  <span className="weight-label">{label}</span>
                  <Badge>{stepTypeNames[step.type]}</Badge>
                  {count > 0 && (
                    <span className="inline-flex items-center gap-4 type-note text-stop">
                      <StatusGlyph look="failed" toned size={12} />
                      {t.wrong(count)}
                    </span>
                  )}
                </span>
                <span className="type-note text-3">{sources.length === 0 ? t.first : t.after(sources.join(", "))}</span>
              </button>
            </li>
          )
        })}
      </ol>
      <p id={`${id}-keys`} className="px-16 type-note text-3">{t.listKeys}</p>
    </>
  )
}
