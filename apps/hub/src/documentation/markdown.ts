/**
 * Markdown of `resources/docs` as HTML. The project writes these pages, but HTML in them stays text, and a link that
 * leads to no page loses its address. Pure.
 */
import { Marked, type Token, type Tokens } from "marked"
import { escapeHtml } from "../platform/html.ts"
import { codeHtml } from "./highlight.ts"
import { tableHtml } from "./table.ts"

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** The text below one heading, or of one row of a table, for the search. */
export interface Section {
  /** Empty before the first heading below the title. */
  readonly id: string
  readonly heading: string
  readonly text: string
  readonly isRow?: true
}

export interface RenderedPage {
  readonly html: string
  readonly headings: ReadonlyArray<Heading>
  readonly sections: ReadonlyArray<Section>
}

export interface LinkResolver {
  /** The address of a link or an image; none: its text is shown without a link. */
  readonly link: (target: string) => string | undefined
  /** The address of an endpoint's documentation, from inline code such as `POST /service-requests`. */
  readonly endpoint: (code: string) => string | undefined
  readonly image: (target: string) => { readonly light: string; readonly dark?: string } | undefined
}

/** The plain text of tokens. */
const textOf = (tokens: ReadonlyArray<Token>): string =>
  tokens.map((token): string => {
    if (token.type === "table") {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows].map((row) => row.map((cell) => textOf(cell.tokens)).join(" · ")).join("\n")
    }
    if (token.type === "list") return (token as Tokens.List).items.map((item) => textOf(item.tokens)).join("\n")
    if (token.type === "html") return ""
    if ("tokens" in token && token.tokens !== undefined) return textOf(token.tokens)
    return unescaped("text" in token ? String(token.text) : "")
  }).join(tokens.some(({ type }) => type === "paragraph" || type === "table" || type === "list") ? "\n" : "")

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", "#39": "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/gu, (whole, name: string) => entities[name] ?? whole)

/** GitHub's anchors: a repeated heading gets a number. `test/support/references.mjs` checks links by the same rule. */
const makeSlugs = () => {
  const used = new Set<string>()
  return (text: string): string => {
    const slug = text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-")
    let id = slug
    for (let number = 1; used.has(id); number++) id = `${slug}-${number}`
    used.add(id)
    return id
  }
}

/** The title and the first paragraph of a page, without rendering it. */
export const titleOf = (markdown: string): { readonly title: string; readonly description: string } => {
  const [, title = "", rest = ""] = /^# (.+)\n([\s\S]*)$/u.exec(markdown.trimStart()) ?? []
  const [paragraph = ""] = /^(?![#|>`\-\s]).+(?:\n(?![#|>`-]).+)*/mu.exec(rest) ?? []
  return {
    title: title.replaceAll("`", ""),
    description: textOf(new Marked().lexer(paragraph)).replace(/\s+/gu, " ").trim()
  }
}

/** Rows that begin with code, such as a setting or an error code, are found by it. */
const entriesOf = ({ rows }: Tokens.Table, id: string): ReadonlyArray<Section> =>
  rows.flatMap(([first, ...rest]) =>
    first?.tokens[0]?.type === "codespan"
      ? [{
        id,
        heading: textOf(first.tokens),
        text: rest.map((cell) => textOf(cell.tokens)).join(" · "),
        isRow: true as const
      }]
      : []
  )

/** `notes` are blocks whose first word is bold; they become asides of that kind. */
const noteKinds: Readonly<Record<string, string>> = { Note: "note", Warning: "warning" }

export const renderMarkdown = (markdown: string, resolver: LinkResolver): RenderedPage => {
  const slug = makeSlugs()
  const headings: Array<Heading> = []
  let tables = 0
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ depth, tokens }) {
        const text = textOf(tokens)
        const id = slug(text)
        headings.push({ level: depth, id, text })
        const inner = this.parser.parseInline(tokens)
        return depth === 1
          ? `<h1 id="${id}">${inner}</h1>\n`
          : `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`
      },
      code({ lang, text }) {
        const language = lang?.split(" ", 1)[0] ?? ""
        return `${codeHtml(language === "" ? "Code" : `Code (${language})`, text, language)}\n`
      },
      codespan({ text }) {
        const plain = unescaped(text)
        const href = resolver.endpoint(plain)
        const code = `<code>${escapeHtml(plain)}</code>`
        return href === undefined ? code : `<a href="${escapeHtml(href)}">${code}</a>`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const address = resolver.link(href)
        if (address === undefined) return inner
        // Links in code of an endpoint would nest.
        const plain = inner.replace(/<\/?a[^>]*>/gu, "")
        const outside = /^https?:/u.test(address) ? " rel=\"noreferrer\"" : ""
        return `<a href="${escapeHtml(address)}"${outside}>${plain}</a>`
      },
      image({ href, text }) {
        const found = resolver.image(href)
        if (found === undefined) return ""
        const dark = found.dark === undefined
          ? ""
          : `<source srcset="${escapeHtml(found.dark)}" media="(prefers-color-scheme: dark)">`
        return `<picture>${dark}<img src="${escapeHtml(found.light)}" alt="${
          escapeHtml(text)
        }" loading="lazy"></picture>`
      },
      table({ align, header, rows }) {
        tables += 1
        const cell = (tag: "td" | "th") => ({ tokens }: Tokens.TableCell, at: number) =>
          `<${tag}${align[at] == null ? "" : ` class="${align[at]}"`}>${this.parser.parseInline(tokens)}</${tag}>`
        // A table whose head is empty has row headings instead.
        const hasHead = header.some(({ tokens }) => textOf(tokens).trim() !== "")
        const last = headings.at(-1)
        const table = tableHtml({
          label: last === undefined ? "Table" : `Table ${tables}: ${last.text}`,
          head: hasHead ? header.map(cell("th")).join("") : "",
          rows: rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`)
        })
        return `${table}\n`
      },
      blockquote({ tokens }) {
        const inner = this.parser.parse(tokens)
        const [, word = ""] = /^<p><strong>(\w+)/u.exec(inner) ?? []
        const kind = noteKinds[word] ?? "note"
        return `<aside class="${kind}" aria-label="${word === "" ? "Note" : word}">${inner}</aside>\n`
      },
      html({ text }) {
        return text.trimStart().startsWith("<!--") ? "" : escapeHtml(text)
      }
    }
  })
  const tokens = marked.lexer(markdown)
  const html = marked.parser(tokens)
  const sections: Array<{ id: string; heading: string; text: string }> = []
  const entries: Array<Section> = []
  let at = 0
  for (const token of tokens) {
    if (token.type === "heading") {
      const { id = "", level = 1, text = "" } = headings[at++] ?? {}
      sections.push({ id: level === 1 ? "" : id, heading: text, text: "" })
    } else {
      const last = sections.at(-1)
      const text = textOf([token]).trim()
      if (last !== undefined && text !== "") last.text = last.text === "" ? text : `${last.text}\n${text}`
      if (last !== undefined && token.type === "table") entries.push(...entriesOf(token as Tokens.Table, last.id))
    }
  }
  return { html, headings, sections: [...sections, ...entries] }
}
