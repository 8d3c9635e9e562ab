/** The parts that the lists of publications and of publish requests share. */
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { payloadText as reveal } from "../text/payload.ts"
import { AudienceCell, type useAudienceName } from "./audience.tsx"
import { usePublicationsSearch } from "./use-publications-search.ts"

type Listed = Parameters<ReturnType<typeof useAudienceName>>[0] & { readonly name: string }

export const nameColumn = <R extends Listed>(head: string): Column<R> => ({
  id: "name",
  head,
  width: "minmax(140px, 1.6fr)",
  narrow: "lead",
  cell: ({ name }) => (
    <span className="block truncate">
      <RevealedText text={name} texts={reveal} line />
    </span>
  )
})

export const audienceColumn = <R extends Listed>(
  head: string,
  audienceName: ReturnType<typeof useAudienceName>
): Column<R> => ({
  id: "audience",
  head,
  width: "minmax(140px, 1.2fr)",
  narrow: "under",
  cell: (row) => <AudienceCell audience={row} name={audienceName(row)} />
})

interface StatusFilterProps<S extends string> {
  readonly statuses: ReadonlyArray<S>
  readonly status: S | undefined
  readonly label: string
  readonly names: Readonly<Record<S, string>>
  readonly clear: () => void
}

export const StatusFilter = <S extends string>({ clear, label, names, status, statuses }: StatusFilterProps<S>) => {
  const { change, search: { ignored } } = usePublicationsSearch()
  return (
    <FilterLine
      ignored={ignored}
      filters={[oneFilter("status", label, status, change, statuses.map((value) => ({ value, text: names[value] })))]}
      change={change}
      clear={clear}
    />
  )
}
