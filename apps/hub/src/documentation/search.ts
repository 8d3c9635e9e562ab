/** Full-text search over the sections of all pages, in memory. Pure. */
import { LRUCache } from "lru-cache"
import MiniSearch, { type SearchOptions, type SearchResult } from "minisearch"

export interface SearchedSection {
  readonly href: string
  readonly page: string
  readonly heading: string
  readonly text: string
  /** Whether it is the beginning of a page, a section of it, or a row of a table. */
  readonly kind: "page" | "section" | "row"
}

export interface Hit {
  /** The page, and the section if it is not its beginning: `Approvals › Quorum`. */
  readonly title: string
  readonly href: string
  readonly excerpt: string
}

export interface DocumentIndex {
  readonly add: (sections: ReadonlyArray<SearchedSection>) => void
  readonly find: (query: string) => ReadonlyArray<Hit>
}

/** Longer queries are cut: nobody types them. */
export const queryLengthMax = 200
const termsMax = 8
const hitsMax = 20
/** Answers that are kept, because people type the same words. */
const answersMax = 200
/** A page is the better answer to a general word, and a row only to its own code. */
const kindBoost = { page: 3, section: 1, row: 0.5 } as const
const excerptLength = 180

/** Words without meaning for a search: every page has them. */
const ignored = new Set("a an and are as at be by do for from how i in is it of on or the to what when with".split(" "))

const termsOf = (text: string): Array<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** The part of a text around the first found term. */
const excerptOf = (plain: string, terms: ReadonlyArray<string>): string => {
  const lower = plain.toLowerCase()
  const found = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const first = found.length === 0 ? 0 : Math.min(...found)
  const start = first < excerptLength / 2 ? 0 : plain.indexOf(" ", first - 60) + 1
  const part = plain.slice(start, start + excerptLength)
  const end = start + excerptLength >= plain.length ? part : part.slice(0, Math.max(part.lastIndexOf(" "), 1))
  return `${start === 0 ? "" : "… "}${end}${start + excerptLength >= plain.length ? "" : " …"}`
}

export const makeDocumentIndex = (): DocumentIndex => {
  const index = new MiniSearch<SearchedSection & { readonly id: number }>({
    fields: ["heading", "page", "text"],
    storeFields: ["href", "page", "heading", "text", "kind"],
    tokenize: termsOf,
    processTerm: (term) => ignored.has(term) ? null : term
  })
  const exact: SearchOptions = {
    boost: { heading: 4, page: 2 },
    prefix: (term) => term.length > 1,
    weights: { fuzzy: 0.2, prefix: 0.8 },
    combineWith: "AND",
    boostDocument: (_id, _term, stored) =>
      kindBoost[(stored as Pick<SearchedSection, "kind"> | undefined)?.kind ?? "section"]
  }
  /** A search for similar words costs several times as much. */
  const similar: SearchOptions = { ...exact, fuzzy: (term) => term.length > 4 ? 0.2 : false }

  const search = (query: string): ReadonlyArray<Hit> => {
    const terms = termsOf(query).slice(0, termsMax).filter((term) => !ignored.has(term))
    if (terms.length === 0) return []
    const text = terms.join(" ")
    const ways = [exact, similar, { ...similar, combineWith: "OR" }] as const
    const found = ways.reduce<ReadonlyArray<SearchResult>>(
      (hits, options) => hits.length > 0 ? hits : index.search(text, options),
      []
    )
    // A setting or a code that is typed completely.
    const wanted = query.trim().toLowerCase()
    const isCode = /[_.\d]/u.test(wanted)
    const isWanted = ({ heading }: { readonly [key: string]: unknown }) =>
      isCode && String(heading).toLowerCase() === wanted
    const ordered = [...found.filter(isWanted), ...found.filter((hit) => !isWanted(hit))]
    return ordered.slice(0, hitsMax).map(({ heading, href, page, terms: matched, text }) => ({
      title: heading === page ? String(page) : `${page} › ${heading}`,
      href: String(href),
      excerpt: excerptOf(String(text), matched)
    }))
  }

  const answers = new LRUCache<string, ReadonlyArray<Hit>>({ max: answersMax })
  let size = 0
  return {
    add: (sections) => {
      answers.clear()
      index.addAll(sections.map((section) => ({ ...section, text: section.text.replace(/\s+/gu, " "), id: size++ })))
    },
    find: (typed) => {
      const query = typed.slice(0, queryLengthMax)
      const known = answers.get(query)
      if (known !== undefined) return known
      const hits = search(query)
      answers.set(query, hits)
      return hits
    }
  }
}
