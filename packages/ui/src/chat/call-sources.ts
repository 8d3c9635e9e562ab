/** The documents that a query of a collection found, from the result of its call. Pure. */
import type { ShownCall } from "./live-turn.ts"

export interface CallSource {
  readonly collection: string
  readonly document: string
  readonly title: string
  readonly headings: ReadonlyArray<string>
  readonly page: number | undefined
  /** The best passage of the document. */
  readonly at: number
}

interface Found {
  readonly headings: ReadonlyArray<string>
  readonly position: { readonly chunk: number; readonly page?: number }
  readonly document: { readonly id: string; readonly title: string }
}

const isFound = (value: unknown): value is Found => {
  const { document, headings, position } = (value ?? {}) as Partial<Found>
  return typeof document?.id === "string" && typeof document.title === "string" && Array.isArray(headings) &&
    typeof position?.chunk === "number"
}

/** Each document once, the best first; empty for other calls, and for a result that is kept as an artifact. */
export const sourcesOf = (
  { operation, payload, result, service, state }: ShownCall
): ReadonlyArray<CallSource> => {
  if (service !== "knowledge" || operation !== "query" || state !== "executed") return []
  const { collection_id: collection } = (payload ?? {}) as { readonly collection_id?: unknown }
  const { data } = (result ?? {}) as { readonly data?: unknown }
  if (typeof collection !== "string" || !Array.isArray(data)) return []
  const best = new Map<string, CallSource>()
  for (const { document: { id, title }, headings, position: { chunk, page } } of data.filter(isFound)) {
    if (best.has(id)) continue
    // The first heading of a document is often its title.
    const below = headings.filter((heading) => heading !== title)
    best.set(id, { collection, document: id, title, headings: below, page, at: chunk })
  }
  return [...best.values()]
}
