/** The frame of every page of documentation: header, navigation, contents, footer. Works without its script. */
import { escapeHtml } from "../platform/html.ts"
import type { Heading } from "./markdown.ts"

export interface NavigationGroup {
  readonly title: string
  readonly links: ReadonlyArray<{ readonly href: string; readonly title: string }>
}

export interface ShellPage {
  /** Its own address, to mark it in the navigation. */
  readonly href: string
  readonly title: string
  readonly description: string
  /** HTML. */
  readonly content: string
  readonly headings: ReadonlyArray<Heading>
  /** The address of its Markdown. */
  readonly source?: string
  /** The text in the search field. */
  readonly query?: string
}

export interface Frame {
  readonly navigation: ReadonlyArray<NavigationGroup>
  readonly version: string
  /** Of styles and script, in their addresses: browsers keep them until they change. */
  readonly assetsVersion: string
}

const navigationHtml = (navigation: ReadonlyArray<NavigationGroup>, current: string): string =>
  navigation.map(({ links, title }) => {
    const items = links.map(({ href, title }) =>
      `<li><a href="${escapeHtml(href)}"${href === current ? " aria-current=\"page\"" : ""}>${
        escapeHtml(title)
      }</a></li>`
    ).join("")
    const isOpen = links.some(({ href }) => href === current)
    return `<details${isOpen || title === "Start" ? " open" : ""}><summary>${
      escapeHtml(title)
    }</summary><ul>${items}</ul></details>`
  }).join("\n")

/** Two headings on a page are enough for a list of them. */
const contentsMin = 2

const contentsHtml = (headings: ReadonlyArray<Heading>): string =>
  `<ul>${
    headings.map(({ id, level, text }) =>
      `<li${level > 2 ? " class=\"deeper\"" : ""}><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`
    ).join("")
  }</ul>`

const neighborsHtml = (navigation: ReadonlyArray<NavigationGroup>, current: string): string => {
  const all = navigation.flatMap(({ links }) => links)
  const at = all.findIndex(({ href }) => href === current)
  if (at < 0) return ""
  const link = (index: number, label: string, side: string) => {
    const found = all[index]
    return found === undefined
      ? ""
      : `<a class="${side}" href="${escapeHtml(found.href)}"><span>${label}</span>${escapeHtml(found.title)}</a>`
  }
  return `<nav class="neighbors" aria-label="Previous and next page">${link(at - 1, "Previous", "previous")}${
    link(at + 1, "Next", "next")
  }</nav>`
}

const mark =
  "<svg viewBox=\"0 0 32 32\" width=\"26\" height=\"26\" fill=\"currentColor\" aria-hidden=\"true\"><path d=\"M4 12h2v8H4zM7 8h2v12H7zM10 15h2v5h-2zM13 10h2v10h-2zM16 6h2v14h-2zM19 13h2v7h-2zM22 9h2v11h-2zM25 14h2v6h-2z\"/><path d=\"M4 23h23v2H4z\"/></svg>"

export const shell = ({ assetsVersion, navigation, version }: Frame, page: ShellPage): string => {
  const headings = page.headings.filter(({ level }) => level === 2 || level === 3)
  const hasContents = headings.length >= contentsMin
  const title = page.title === "Countersign" ? "Countersign documentation" : `${page.title} · Countersign`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.description)}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/assets/docs.css?v=${assetsVersion}">
<script src="/docs/assets/docs.js?v=${assetsVersion}" defer></script>${
    page.source === undefined
      ? ""
      : `\n<link rel="alternate" type="text/markdown" href="${escapeHtml(page.source)}" title="Markdown">`
  }
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button class="menu" type="button" popovertarget="navigation">Menu</button>
<a class="brand" href="/docs" aria-label="Countersign Docs">${mark}<span>Countersign</span> <span class="part">Docs</span></a>
<form class="search" role="search" action="/docs/search">
<label class="hidden" for="q">Search the documentation</label>
<input id="q" name="q" type="search" maxlength="200" placeholder="Search" autocomplete="off" spellcheck="false" value="${
    escapeHtml(page.query ?? "")
  }">
<kbd aria-hidden="true">/</kbd>
</form>
<nav class="places" aria-label="Hub"><a href="/docs/api">API</a> <a href="/">Console</a></nav>
</header>
<div class="frame">
<nav id="navigation" class="navigation" popover aria-label="Documentation">
${navigationHtml(navigation, page.href)}
</nav>
<main id="content" tabindex="-1">
${
    hasContents
      ? `<details class="contents-inline"><summary>On this page</summary>${contentsHtml(headings)}</details>\n`
      : ""
  }<article>
${page.content}
</article>
${neighborsHtml(navigation, page.href)}
<footer class="bottom">Countersign ${escapeHtml(version)} · This page describes the hub that serves it.${
    page.source === undefined ? "" : ` <a href="${escapeHtml(page.source)}">View as Markdown</a>`
  }</footer>
</main>
${
    hasContents
      ? `<nav class="contents" aria-label="On this page"><p>On this page</p>${contentsHtml(headings)}</nav>`
      : ""
  }
</div>
</body>
</html>
`
}
