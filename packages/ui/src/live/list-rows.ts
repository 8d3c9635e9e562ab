/** Rows in the cached data of lists, paged or not. */
import type { InfiniteData } from "@tanstack/react-query"

export interface Item {
  readonly id: string
}
type Pages = InfiniteData<{ readonly data: ReadonlyArray<Item> }>
export type Held = Pages | { readonly data?: ReadonlyArray<Item> } | undefined

const isPages = (data: NonNullable<Held>): data is Pages => "pages" in data

export const holds = (data: Held, id: string): boolean =>
  data !== undefined &&
  (isPages(data)
    ? data.pages.some((page) => page.data.some((row) => row.id === id))
    : data.data?.some((row) => row.id === id) === true)

const replaced = <P extends { readonly data?: ReadonlyArray<Item> }>(page: P, row: Item): P =>
  page.data?.some(({ id }) => id === row.id) === true
    ? { ...page, data: page.data.map((each) => each.id === row.id ? row : each) }
    : page

/** The list with this row replaced. */
export const withRow = (data: Held, row: Item): Held =>
  data === undefined
    ? data
    : isPages(data)
    ? { ...data, pages: data.pages.map((page) => replaced(page, row)) }
    : replaced(data, row)
