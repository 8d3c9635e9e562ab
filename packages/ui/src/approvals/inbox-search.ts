/** The inbox's address with changes; undefined members are removed. */
import { filterNames } from "./inbox-filter.ts"
import type { inboxRoute } from "./routes.tsx"

export type InboxSearch = (typeof inboxRoute)["types"]["searchSchema"]
export type InboxChange = { readonly [K in keyof InboxSearch]?: InboxSearch[K] | undefined }

export const changed = (change: InboxChange) => (before: InboxSearch): InboxSearch =>
  ({ ...before, ...change }) as InboxSearch

/** Opens a row; the address names its workspace if that differs from `home`. */
export const opening = (row: { readonly id: string; readonly org_id: string }, home: string): InboxChange => ({
  open: row.id,
  of: row.org_id === home ? undefined : row.org_id
})

export const closing: InboxChange = { open: undefined, of: undefined }

export const unfiltered: InboxChange = Object.fromEntries([...filterNames, "ignored"].map((name) => [name, undefined]))
