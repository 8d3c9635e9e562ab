/** The age filter: its chip, and a choice of common ages. Other ages come from a link. */
import { createElement } from "react"
import type { Filter } from "../patterns/filter-bar.tsx"
import type { listingText } from "../text/listing.ts"
import { type AgeRange, ageText } from "./age.ts"
import { Choices } from "./choices.tsx"

const [minute, hour, day] = [60, 3_600, 86_400] as const

const ranges: ReadonlyArray<AgeRange> = [
  { min_age_seconds: 15 * minute },
  { min_age_seconds: hour },
  { min_age_seconds: 4 * hour },
  { min_age_seconds: day },
  { max_age_seconds: 15 * minute },
  { max_age_seconds: hour },
  { max_age_seconds: day }
]

const nameOf = ({ max_age_seconds, min_age_seconds }: AgeRange): string =>
  `${min_age_seconds ?? ""}-${max_age_seconds ?? ""}`

/** The search parameters of the chip. */
export const ageMembers = { age: ["min_age_seconds", "max_age_seconds"] } as const

export const ageFilter = (
  t: typeof listingText,
  range: AgeRange,
  change: (changes: Readonly<Record<string, unknown>>) => void
): Filter => ({
  id: "age",
  name: t.age.name,
  value: ageText(t.age, range),
  editor: (close) =>
    createElement(Choices, {
      label: t.age.name,
      choices: ranges.map((each) => ({ value: nameOf(each), text: ageText(t.age, each) ?? "" })),
      value: nameOf(range),
      onChange: (picked) => {
        const next = ranges.find((each) => nameOf(each) === picked)
        change({ min_age_seconds: next?.min_age_seconds, max_age_seconds: next?.max_age_seconds })
        close()
      }
    })
})
