/** The editor of a filter with one of many values: search by name, apply with one press. */
import { type ReactNode, useId, useState } from "react"
import { TextField } from "../components/text-field.tsx"
import { listingText as t } from "../text/listing.ts"
import styles from "./listing.module.css"

export interface Choice {
  readonly value: string
  readonly text: string
  readonly detail?: ReactNode
}

export interface ChoicesProps {
  readonly label: string
  readonly choices: ReadonlyArray<Choice>
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  /** Accepts the typed text as it is, for filters whose choices are incomplete. */
  readonly free?: { readonly is: (text: string) => boolean; readonly label: string } | undefined
}

/** With more choices than this there is a search field. */
const searchedFrom = 8
const shownMax = 60

export const Choices = ({ choices, free, label, onChange, value }: ChoicesProps) => {
  const name = useId()
  const [sought, setSought] = useState("")
  const typed = sought.trim()
  const found = choices.filter(({ text, value }) => `${text} ${value}`.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, shownMax)
  return (
    <form
      className={`grid gap-8 ${styles.choices}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (free !== undefined && typed !== "" && free.is(typed)) onChange(typed)
        else if (found[0] !== undefined && typed !== "") onChange(found[0].value)
      }}
    >
      {(free !== undefined || choices.length >= searchedFrom) && (
        <TextField
          label={free?.label ?? label}
          labelHidden
          placeholder={free?.label ?? label}
          value={sought}
          onChange={setSought}
          autoFocus
        />
      )}
      <fieldset className={`grid border-0 ${styles.options}`}>
        <legend className="sr-only">{label}</legend>
        {[{ value: "", text: t.any }, ...found].map((choice: Choice) => (
          <label key={choice.value} className={`flex items-center gap-8 rounded-control type-body ${styles.option}`}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === (value ?? "")}
              onChange={() =>
                onChange(choice.value === "" ? undefined : choice.value)}
            />
            <span className="flex-1 min-w-0 truncate">{choice.text}</span>
            {choice.detail !== undefined && <span className="type-note text-3">{choice.detail}</span>}
          </label>
        ))}
      </fieldset>
    </form>
  )
}
