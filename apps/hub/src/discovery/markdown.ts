/**
 * Renders the pages of `resources/docs` as HTML: headings, paragraphs, lists, tables, fenced code, and inline code,
 * strong text, and links. The project writes these pages, so no other Markdown is supported. Pure.
 */
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" }
const escaped = (text: string): string => text.replace(/[&<>"]/gu, (character) => escapes[character] ?? "")

/** Code first: its content is plain text. */
const inline = (text: string): string =>
  text.split(/(`[^`]+`)/u).map((part) =>
    part.startsWith("`") && part.length > 1
      ? `<code>${escaped(part.slice(1, -1))}</code>`
      : escaped(part)
        .replace(/\*\*([^*]+)\*\*/gu, "<strong>$1</strong>")
        .replace(/\[([^\]]+)\]\(((?:https?:\/|#)?[^\s():]*)\)/gu, "<a href=\"$2\">$1</a>")
  ).join("")

/** The id of a heading for links, from its text. */
const idOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/gu, "-").replace(/^-|-$/gu, "")

const cellsOf = (row: string): ReadonlyArray<string> =>
  row.replace(/^\||\|$/gu, "").split("|").map((cell) => inline(cell.trim()))

const tableOf = (lines: ReadonlyArray<string>): string => {
  const [head = "", , ...rows] = lines
  const row = (line: string, tag: "td" | "th") =>
    `<tr>${cellsOf(line).map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`
  return `<table><thead>${row(head, "th")}</thead><tbody>${
    rows.map((line) => row(line, "td")).join("")
  }</tbody></table>`
}

const listOf = (lines: ReadonlyArray<string>): string =>
  `<ul>${
    lines.join("\n").split(/^- /mu).slice(1).map((item) => `<li>${inline(item.replace(/\s+/gu, " ").trim())}</li>`)
      .join("")
  }</ul>`

const blockOf = (block: string): string => {
  const code = /^```[^\n]*\n([\s\S]*?)\n?```$/u.exec(block)
  if (code !== null) return `<pre tabindex="0"><code>${escaped(code[1] ?? "")}</code></pre>`
  const heading = /^(#{1,3}) (.+)$/u.exec(block)
  if (heading !== null) {
    const [, marks = "#", text = ""] = heading
    return `<h${marks.length} id="${idOf(text)}">${inline(text)}</h${marks.length}>`
  }
  const lines = block.split("\n")
  if (block.startsWith("|")) return tableOf(lines)
  return block.startsWith("- ") ? listOf(lines) : `<p>${inline(lines.join(" "))}</p>`
}

export const toHtml = (markdown: string): string =>
  (markdown.match(/^```[^\n]*\n[\s\S]*?^```$|(?:^(?!```).+(?:\n|$))+/gmu) ?? []).map((block) => blockOf(block.trim()))
    .join("\n")
