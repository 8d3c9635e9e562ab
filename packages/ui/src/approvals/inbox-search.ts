/** The inbox's address with something changed: what is undefined goes out of it. */
import { filterNames } from "./inbox-filter.ts"
import type { inboxRoute } from "./routes.tsx"

export type InboxSearch = (typeof inboxRoute)["types"]["searchSchema"]
export type InboxChange = { readonly [K in keyof InboxSearch]?: InboxSearch[K] | undefined }

export const changed = (change: InboxChange) => (before: InboxSearch): InboxSearch =>
  ({ ...before, ...change }) as InboxSearch

/** Opens a row; its workspace is told where it is not the address's. */
export const opening = (row: { readonly id: string; readonly org_id: string }, home: string): InboxChange => ({
  open: row.id,
  of: row.org_id === home ? undefined : row.org_id
})

export const closing: InboxChange = { open: undefined, of: undefined }

export const unfiltered: InboxChange = Object.fromEntries(["q", ...filterNames].map((name) => [name, undefined]))
