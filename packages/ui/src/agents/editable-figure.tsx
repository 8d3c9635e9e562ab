/** A figure that is editable in place: a click opens a field, Enter saves, and Escape cancels. */
import { Check, Pencil, X } from "lucide-react"
import { type ReactNode, useEffect, useId, useRef, useState } from "react"
import { isReadable } from "../app/field-problem.ts"
import { MoneyField, NumberField } from "../components/fields.tsx"
import { IconButton } from "../components/icon-button.tsx"
import styles from "./editable-figure.module.css"

export interface EditableFigureProps {
  readonly kind: "money" | "count"
  /** The label, such as "Monthly cap of say". */
  readonly label: string
  readonly value: number | undefined
  /** The current value. */
  readonly shown: ReactNode
  /** The name of the button that opens the field. */
  readonly changeText: string
  readonly texts: { readonly save: string; readonly cancel: string; readonly invalid: string }
  /** Without it, the figure is read-only. */
  readonly onSave?: ((value: number | undefined) => void) | undefined
  readonly pending: boolean
  readonly error?: ReactNode
  readonly onOpen: () => void
  readonly onCancel: () => void
  /** Increases with each successful save; the field then closes. */
  readonly saved: number
}

export const EditableFigure = ({
  changeText,
  error,
  kind,
  label,
  onCancel,
  onOpen,
  onSave,
  pending,
  saved,
  shown,
  texts,
  value
}: EditableFigureProps) => {
  const id = useId()
  const [draft, setDraft] = useState<{ readonly value: number | undefined }>()
  const opener = useRef<HTMLButtonElement>(null)
  const returns = useRef(false)
  useEffect(() => {
    setDraft(undefined)
  }, [saved])
  useEffect(() => {
    if (draft === undefined && returns.current) {
      returns.current = false
      opener.current?.focus()
    }
  }, [draft])
  if (onSave === undefined) return <span className="tabular-nums">{shown}</span>
  if (draft === undefined) {
    return (
      <button
        ref={opener}
        type="button"
        className={styles.opener}
        aria-label={changeText}
        onClick={() => {
          returns.current = true
          onOpen()
          setDraft({ value })
        }}
      >
        {shown}
        <Pencil aria-hidden className={`flex-none text-3 ${styles.pencil}`} />
      </button>
    )
  }
  const close = () => {
    onCancel()
    setDraft(undefined)
  }
  const common = {
    label,
    labelHidden: true,
    value: draft.value,
    invalidText: texts.invalid,
    autoFocus: true,
    error,
    readOnly: pending
  }
  return (
    <span className={`block relative ${styles.place}`}>
      <form
        className={`flex items-start gap-2 rounded-control ${styles.form}`}
        aria-labelledby={id}
        onSubmit={(event) => {
          event.preventDefault()
          if (pending || !isReadable(event.currentTarget)) return
          if (draft.value === value) close()
          else onSave(draft.value)
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return
          event.preventDefault()
          event.stopPropagation()
          close()
        }}
      >
        <span id={id} className="sr-only">
          {label}
        </span>
        {kind === "money"
          ? <MoneyField {...common} onChange={(next) => setDraft({ value: next })} />
          : <NumberField {...common} max={1_000_000_000} onChange={(next) => setDraft({ value: next })} />}
        <IconButton type="submit" label={texts.save} icon={<Check />} aria-busy={pending || undefined} />
        <IconButton label={texts.cancel} icon={<X />} onClick={close} keys={["Esc"]} />
      </form>
    </span>
  )
}
