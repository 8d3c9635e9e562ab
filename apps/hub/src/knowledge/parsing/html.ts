/** HTML by parse5, walked without recursion: nesting of any depth costs no stack. */
import { type DefaultTreeAdapterMap, parse } from "parse5"
import { DocumentBuilder } from "./document-builder.ts"
import type { ParsedDocument } from "./document.ts"

type Node = DefaultTreeAdapterMap["node"]
type Element = DefaultTreeAdapterMap["element"]

/** Not read by a person as text of the page. */
const skipped = new Set(
  ["script", "style", "template", "noscript", "svg", "math", "iframe", "object", "embed", "canvas", "audio", "video"]
    .concat(["head", "nav", "select", "datalist", "textarea", "button"])
)
const blocks = new Set(
  ["address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl"]
    .concat([
      "dt",
      "fieldset",
      "figcaption",
      "figure",
      "footer",
      "form",
      "header",
      "hr",
      "html",
      "legend",
      "li",
      "main"
    ])
    .concat(["menu", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"])
)
const lists = new Set(["dl", "menu", "ol", "table", "ul"])
/** All but the first of a list follow the block before them without an empty line. */
const items = new Set(["dd", "dt", "li", "tr"])

const isElement = (node: Node): node is Element => "tagName" in node

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((each) => each.name === name)?.value

const levelOf = (name: string): number | undefined => /^h[1-6]$/.test(name) ? Number(name[1]) : undefined

export const parseHtml = (source: string): ParsedDocument => {
  const builder = new DocumentBuilder()
  const document = parse(source, { scriptingEnabled: false })
  readTitle(document, builder)

  let text = ""
  let level: number | undefined
  let isPreformatted = false
  let isFirst = true
  let separator: "\n" | "\n\n" = "\n\n"
  const flush = (): void => {
    if (text.trim() !== "") {
      if (level === undefined) {
        const kind = isPreformatted ? "code" : "text"
        builder.block(isPreformatted ? text : text.replace(/[^\S\n]*\n[^\S\n]*/g, "\n"), { kind, separator })
      } else {
        builder.heading(level, text)
      }
      separator = "\n\n"
    }
    text = ""
  }

  const enter = (element: Element): void => {
    const name = element.tagName
    const heading = levelOf(name)
    if (heading !== undefined) {
      flush()
      level = heading
    } else if (level === undefined && blocks.has(name)) {
      flush()
      if (lists.has(name)) isFirst = true
      if (items.has(name)) {
        if (!isFirst) separator = "\n"
        isFirst = false
      }
      if (name === "pre") isPreformatted = true
    } else if (name === "br") text += "\n"
    else if ((name === "td" || name === "th") && text.trim() !== "") text += " | "
    else if (name === "img") text += attribute(element, "alt") ?? ""
  }
  const leave = (element: Element): void => {
    const name = element.tagName
    if (levelOf(name) !== undefined) {
      flush()
      level = undefined
    } else if (level === undefined && blocks.has(name)) {
      flush()
      if (name === "pre") isPreformatted = false
    }
  }

  const stack: Array<{ readonly node: Node; readonly isEnd: boolean }> = [{ node: document, isEnd: false }]
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const { isEnd, node } = item
    if (node.nodeName === "#text" && "value" in node) {
      text = appended(text, node.value, isPreformatted)
      continue
    }
    if (isElement(node)) {
      if (isEnd) {
        leave(node)
        continue
      }
      if (skipped.has(node.tagName) || attribute(node, "hidden") !== undefined) continue
      enter(node)
      stack.push({ node, isEnd: true })
    }
    if (!("childNodes" in node)) continue
    for (let index = node.childNodes.length - 1; index >= 0; index--) {
      stack.push({ node: node.childNodes[index]!, isEnd: false })
    }
  }
  flush()
  return builder.done()
}

/** White space collapses across elements, except in `pre`. */
const appended = (text: string, value: string, isPreformatted: boolean): string => {
  if (isPreformatted) return text + value
  const collapsed = value.replace(/[\t\n\f\r ]+/g, " ")
  return text + (/(?:^|\s)$/.test(text.slice(-1)) && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed)
}

/** The `title` in the head, without a walk of the whole tree. */
const readTitle = (document: DefaultTreeAdapterMap["document"], builder: DocumentBuilder): void => {
  const html = document.childNodes.find((node) => node.nodeName === "html")
  const head = html !== undefined && "childNodes" in html
    ? html.childNodes.find((node) => node.nodeName === "head")
    : undefined
  const title = head !== undefined && "childNodes" in head
    ? head.childNodes.find((node) => node.nodeName === "title")
    : undefined
  if (title === undefined || !("childNodes" in title)) return
  builder.title(title.childNodes.map((node) => "value" in node ? node.value : "").join(""))
}
