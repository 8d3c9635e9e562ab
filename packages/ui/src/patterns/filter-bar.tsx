/** Filters as chips: those with a value and those without. All values are in the URL; this only renders them. */
import { ChevronDown, Search } from "lucide-react"
import { type ReactNode, useState } from "react"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { Chip } from "../components/chip.tsx"
import { Kbd } from "../components/kbd.tsx"
import { Popover } from "../components/popover.tsx"
import { TextField } from "../components/text-field.tsx"
import styles from "./filter-bar.module.css"
import { FilterFold } from "./filter-fold.tsx"

export interface Filter {
  readonly id: string
  readonly name: string
  /** Its value in words; undefined if not set. */
  readonly value?: string | undefined
  /** The content of its popover. */
  readonly editor: (close: () => void) => ReactNode
}

export interface FilterBarProps {
  readonly label: string
  readonly filters: ReadonlyArray<Filter>
  readonly onRemove: (id: string) => void
  readonly onClear: () => void
  readonly search?: {
    readonly value: string
    readonly onChange: (value: string) => void
    readonly label: string
    /** Marks the field for its shortcut: `data-search`. */
    readonly keys?: ReadonlyArray<string> | undefined
  } | undefined
  readonly texts: {
    readonly clear: string
    readonly remove: (name: string) => string
    readonly chip: (name: string, value: string) => string
  }
  /** On a narrow screen everything except the search is behind a button with this text. */
  readonly fold?: string | undefined
  /** At the end of the line: count, export, columns. */
  readonly aside?: ReactNode
}

export const FilterBar = ({ label, filters, fold, onRemove, onClear, search, texts, aside }: FilterBarProps) => {
  const [isOpen, setOpen] = useState(false)
  const chips = (
    <>
      {filters.map((filter) => <FilterChip key={filter.id} filter={filter} onRemove={onRemove} texts={texts} />)}
      {filters.some((filter) => filter.value !== undefined) && (
        <Button size="small" variant="bare" onClick={onClear}>{texts.clear}</Button>
      )}
      {aside !== undefined && (
        <div className="flex items-center gap-8 ms-auto type-note tabular-nums text-3">{aside}</div>
      )}
    </>
  )
  return (
    <div className={styles.bar} role="search" aria-label={label} data-folds={fold !== undefined || undefined}>
      {search !== undefined && (
        <TextField
          label={search.label}
          labelHidden
          placeholder={search.label}
          type="search"
          value={search.value}
          onChange={search.onChange}
          className={styles.search}
          prefix={<Search aria-hidden />}
          suffix={search.value === "" && search.keys !== undefined ? <Kbd keys={search.keys} /> : undefined}
          data-search
        />
      )}
      {fold === undefined ? chips : <FilterFold open={isOpen} onOpenChange={setOpen} text={fold}>{chips}</FilterFold>}
    </div>
  )
}

const FilterChip = (
  { filter, onRemove, texts }: { readonly filter: Filter } & Pick<FilterBarProps, "onRemove" | "texts">
) => {
  const [open, setOpen] = useState(false)
  const set = filter.value !== undefined
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      title={filter.name}
      trigger={
        <Chip
          set={set}
          onRemove={set
            ? () => onRemove(filter.id)
            : undefined}
          removeText={texts.remove(filter.name)}
        >
          {filter.value === undefined
            ? (
              <>
                {filter.name} <ChevronDown aria-hidden />
              </>
            )
            : texts.chip(filter.name, filter.value)}
        </Chip>
      }
    >
      {filter.editor(() => setOpen(false))}
    </Popover>
  )
}

export interface FilterOptionsProps {
  readonly options: ReadonlyArray<{ readonly value: string; readonly text: ReactNode }>
  readonly picked: ReadonlyArray<string>
  readonly onChange: (picked: ReadonlyArray<string>) => void
}

/** The standard editor: several of a few options, applied at once. */
export const FilterOptions = ({ options, picked, onChange }: FilterOptionsProps) => (
  <div className="grid gap-4">
    {options.map((option) => (
      <Checkbox
        key={option.value}
        label={option.text}
        checked={picked.includes(option.value)}
        onChange={(on) =>
          onChange(
            options.map(({ value }) => value).filter((value) => value === option.value ? on : picked.includes(value))
          )}
      />
    ))}
  </div>
)

export interface FilterTextProps {
  readonly label: string
  readonly value: string
  readonly applyText: string
  readonly onApply: (value: string) => void
}

/** An editor for typed text, applied on submit. */
export const FilterText = ({ label, value, applyText, onApply }: FilterTextProps) => {
  const [typed, setTyped] = useState(value)
  return (
    <form
      className="flex gap-8"
      onSubmit={(event) => {
        event.preventDefault()
        onApply(typed.trim())
      }}
    >
      <TextField label={label} labelHidden value={typed} onChange={setTyped} />
      <Button type="submit" variant="primary">{applyText}</Button>
    </form>
  )
}
