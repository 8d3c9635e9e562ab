/** The sort of a list in the address: `sort`, absent for the default. */
import type { Sorting } from "../patterns/sorting.ts"

export const addressSorting = (
  usual: string,
  sort: string | undefined,
  change: (changes: { readonly sort: string | undefined }) => void
): Sorting => ({ usual, value: sort ?? usual, onSort: (next) => change({ sort: next === usual ? undefined : next }) })
