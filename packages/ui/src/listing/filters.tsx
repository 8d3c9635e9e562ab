/** The filters of a list as chips: their values are in the address, and each change is a history entry. */
import { CircleAlert } from "lucide-react"
import type { ReactNode } from "react"
import { useRef } from "react"
import { useKey, useKeyCaps } from "../app/keys.ts"
import { useSearchDraft } from "../app/search-draft.ts"
import { Button } from "../components/button.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type Filter, FilterBar, FilterOptions } from "../patterns/filter-bar.tsx"
import { listingText } from "../text/listing.ts"
import { type Choice, Choices, type ChoicesProps } from "./choices.tsx"
import styles from "./ignored-filters.module.css"
import { PeriodEditor } from "./period-filter.tsx"
import { dayText, type Period, type Preset } from "./period.ts"

export type Changes = Readonly<Record<string, unknown>>

export interface FilterLineProps {
  readonly filters: ReadonlyArray<Filter>
  /** The search parameters of each chip; its own id by default. */
  readonly members?: Readonly<Record<string, ReadonlyArray<string>>>
  /** `replace` for typed text: no history entry. */
  readonly change: (changes: Changes, replace?: boolean) => void
  readonly clear: () => void
  readonly search?: { readonly value: string | undefined; readonly label: string }
  readonly aside?: ReactNode
  /** On a narrow screen the chips and `aside` are behind one button. */
  readonly folds?: boolean
  /** Parts of the link that are not applied. */
  readonly ignored?: ReadonlyArray<string> | undefined
}

export const FilterLine = (
  { aside, change, clear, filters, folds = false, ignored = [], members = {}, search }: FilterLineProps
) => {
  const t = listingText
  const box = useRef<HTMLDivElement>(null)
  const keys = useKeyCaps("list.search")
  const [draft, setDraft] = useSearchDraft(search?.value, (q) => change({ q }, true))
  useKey("list.search", () => box.current?.querySelector<HTMLInputElement>("[data-search]")?.focus(), {
    when: search !== undefined
  })
  return (
    <div ref={box} style={{ display: "contents" }}>
      <FilterBar
        label={t.filters}
        filters={filters}
        fold={folds ? t.fold(filters.filter(({ value }) => value !== undefined).length) : undefined}
        onRemove={(id) => change(Object.fromEntries((members[id] ?? [id]).map((name) => [name, undefined])))}
        onClear={clear}
        search={search === undefined ? undefined : { value: draft, onChange: setDraft, label: search.label, keys }}
        texts={{ clear: t.clearFilters, remove: t.remove, chip: t.chip }}
        aside={aside}
      />
      {ignored.length > 0 && <IgnoredFilters ignored={ignored} onRemove={() => change({ ignored: undefined }, true)} />}
    </div>
  )
}

type Take = (changes: Changes) => void

/** One of many values, by name. */
export const oneFilter = (
  id: string,
  name: string,
  value: string | undefined,
  change: Take,
  choices: ReadonlyArray<Choice>,
  free?: ChoicesProps["free"]
): Filter => ({
  id,
  name,
  value: value === undefined ? undefined : choices.find((choice) => choice.value === value)?.text ?? value,
  editor: (close) => (
    <Choices
      label={name}
      choices={choices}
      value={value}
      free={free}
      onChange={(picked) => {
        change({ [id]: picked })
        close()
      }}
    />
  )
})

/** `service` and `operation` as one chip, `operation`. */
export const operationFilter = (
  name: string,
  value: { readonly service?: string | undefined; readonly operation?: string | undefined },
  change: Take,
  services: ReadonlyArray<{ readonly name: string; readonly operations: ReadonlyArray<{ readonly name: string }> }>,
  label: string
): Filter => {
  const picked = value.service === undefined
    ? value.operation
    : value.operation === undefined
    ? value.service
    : `${value.service}.${value.operation}`
  const choices = services.flatMap((service) =>
    service.operations.map((operation) => `${service.name}.${operation.name}`)
  )
  const filter = oneFilter(
    "operation",
    name,
    picked,
    ({ operation: next }) => {
      const [, service, operation] = /^([^.]*)\.(.*)$/u.exec(String(next ?? "")) ?? []
      change({ service, operation })
    },
    choices.map((each) => ({ value: each, text: each })),
    { is: (text) => /^[^.]{1,64}\../u.test(text), label }
  )
  return filter
}
export const operationMembers = { operation: ["service", "operation"] } as const

/** Several of a few values. */
export const manyFilter = (
  id: string,
  name: string,
  picked: ReadonlyArray<string>,
  change: Take,
  options: ReadonlyArray<Choice>,
  several: (first: string, more: number) => string
): Filter => {
  const words = options.filter(({ value }) => picked.includes(value)).map(({ text }) => text)
  return {
    id,
    name,
    value: words.length === 0
      ? undefined
      : words.length <= 2
      ? words.join(", ")
      : several(words[0] ?? "", words.length - 1),
    editor: () => (
      <FilterOptions
        options={options}
        picked={picked}
        onChange={(next) => change({ [id]: next.length === 0 ? undefined : next })}
      />
    )
  }
}

/** `from` and `to` as one chip, `period`. */
export const periodFilter = (
  t: typeof listingText,
  value: Period,
  change: Take,
  presets?: ReadonlyArray<Preset>
): Filter => {
  const now = hubClock.now()
  const { from, to } = value
  const words = from !== undefined && to !== undefined
    ? from === to ? dayText(from, now) : t.period.days(dayText(from, now), dayText(to, now))
    : from !== undefined
    ? t.period.fromDay(dayText(from, now))
    : to !== undefined
    ? t.period.toDay(dayText(to, now))
    : undefined
  return {
    id: "period",
    name: t.period.name,
    value: words,
    editor: (close) => (
      <PeriodEditor
        value={value}
        {...presets === undefined ? {} : { presets }}
        onApply={(period) => {
          change({ from: period.from, to: period.to })
          close()
        }}
      />
    )
  }
}
export const periodMembers = { period: ["from", "to"] } as const

/** Names the parts of a link that the list does not apply, and removes them. */
const IgnoredFilters = (
  { ignored, onRemove }: { readonly ignored: ReadonlyArray<string>; readonly onRemove: () => void }
) => {
  const t = listingText.ignored
  return (
    <div className={styles.notice} role="status">
      <CircleAlert aria-hidden size={16} />
      <span className={styles.words}>
        {t.text(ignored.length)}
        {ignored.map((each) => <code key={each} translate="no">{each}</code>)}
      </span>
      <Button size="small" onClick={onRemove}>{t.act}</Button>
    </div>
  )
}
