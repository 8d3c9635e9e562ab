/**
 * The columns of a list that a person shows: from the address, otherwise from this browser's memory for the person and
 * the screen.
 */
import { useSyncExternalStore } from "react"
import { type Kept, kept } from "../app/kept.ts"
import { useMe } from "../app/session.ts"
import type { Column } from "../patterns/data-table.tsx"

type ByPerson = Readonly<Record<string, ReadonlyArray<string>>>

const isNames = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((each) => typeof each === "string")
const read = (value: unknown): ByPerson | undefined =>
  typeof value === "object" && value !== null && Object.values(value).every(isNames) ? value as ByPerson : undefined

const stores = new Map<string, Kept<ByPerson>>()
const storeOf = (screen: string): Kept<ByPerson> => {
  const known = stores.get(screen) ?? kept<ByPerson>(`hidden-columns.${screen}`, read)
  stores.set(screen, known)
  return known
}

export interface ColumnChoice<R> {
  readonly columns: ReadonlyArray<Column<R>>
  /** Every column that can be hidden. */
  readonly choices: ReadonlyArray<{ readonly column: Column<R>; readonly shown: boolean }>
  readonly toggle: (id: string) => void
  readonly isChanged: boolean
  /** The parameter `hide` for a link that keeps the columns as they are. */
  readonly hide: string
  readonly reset: () => void
}

/**
 * `address` is the parameter `hide`: ids of hidden columns separated by commas, or `none`. `setAddress` changes it, and
 * only while the address has one, so that the link of a saved view stays unchanged. The first column always stays.
 */
export const useColumns = <R>(
  screen: string,
  all: ReadonlyArray<Column<R>>,
  lead: string,
  address: string | undefined,
  setAddress: (hide: string | undefined) => void
): ColumnChoice<R> => {
  const person = useMe().user.id
  const store = storeOf(screen)
  const remembered = useSyncExternalStore(store.subscribe, store.get)?.[person] ?? []
  const hidden = new Set((address === undefined ? remembered : address.split(",")).filter((id) => id !== lead))
  const set = (next: ReadonlyArray<string>) => {
    store.set({ ...store.get(), [person]: next })
    if (address !== undefined) setAddress(next.length === 0 ? "none" : next.join(","))
  }
  return {
    columns: all.filter(({ id }) => !hidden.has(id)),
    choices: all.filter(({ id }) => id !== lead).map((column) => ({ column, shown: !hidden.has(column.id) })),
    toggle: (id) =>
      set(all.map((column) => column.id).filter((each) => each === id ? !hidden.has(each) : hidden.has(each))),
    hide: [...hidden].join(",") || "none",
    isChanged: all.some(({ id }) => hidden.has(id)),
    reset: () => set([])
  }
}
