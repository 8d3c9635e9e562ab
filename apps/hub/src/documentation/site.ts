/**
 * The documentation of one process: pages are rendered at their first request and kept, and the index of the search is
 * made once. The hub's own pages only: nothing of a request is read as a path of a file.
 */
import { apiVersion } from "@countersign/domain/discovery"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { extname, join, resolve } from "node:path"
import { openApiDocument } from "../discovery/service.ts"
import { escapeHtml, htmlType } from "../platform/html.ts"
import { apiGroupPage, apiGroups, apiIndexPage, apiSections, groupTitle } from "./api-pages.ts"
import { type Contents, docsDir, type PageSource, readContents } from "./contents.ts"
import { makeResolver, sharedFolders } from "./links.ts"
import { type RenderedPage, renderMarkdown } from "./markdown.ts"
import { type Hit, makeDocumentIndex } from "./search.ts"
import { type Frame, type NavigationGroup, shell } from "./shell.ts"

export interface Served {
  readonly type: string
  readonly bytes: Uint8Array
  readonly etag: string
  /** Its address changes with its content. */
  readonly isVersioned?: true
}

const servedOf = (type: string, content: string | Uint8Array, isVersioned = false): Served => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  const etag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
  return { type, bytes, etag, ...isVersioned ? { isVersioned } : {} }
}

const textTypes = new Set([".conf", ".service", ".yml", ".yaml", ".json", ".ts", ".py", ".md", ".sh", ".env", ""])

export interface Site {
  readonly contents: Contents
  /** The page, file, or text at an address below the root; none: 404. */
  readonly at: (path: string) => Served | undefined
  readonly rendered: (page: PageSource) => RenderedPage
  readonly search: (query: string) => ReadonlyArray<Hit>
  /** Renders and indexes one page more, and returns whether there are others. */
  readonly warm: () => boolean
  readonly searchPage: (query: string) => Served
  readonly notFoundPage: () => Served
  /** `/llms.txt`, with absolute addresses. */
  readonly llms: (origin: string) => Served
  /** Addresses below `/docs/files`, for the tests. */
  readonly files: ReadonlyMap<string, string>
}

/** Every file of the shared folders, and the screenshots that pages show, by its address. */
const sharedFiles = (resources: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const add = (folder: string) => {
    for (const entry of readdirSync(join(resources, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) add(path)
      else if (entry.isFile() && (textTypes.has(extname(entry.name)) || entry.name === "Caddyfile")) {
        found.set(`/docs/files/${path}`, join(resources, path))
      }
    }
  }
  for (const folder of sharedFolders) {
    if (statSync(join(resources, folder), { throwIfNoEntry: false })?.isDirectory() === true) add(folder)
  }
  return found
}

export const makeSite = (directory: string = docsDir): Site => {
  const resources = resolve(directory, "..")
  const contents = readContents(directory)
  const files = sharedFiles(resources)
  const asset = (name: string) => readFileSync(join(directory, "assets", name))
  const assets = new Map([
    [
      "/docs/assets/docs.css",
      servedOf("text/css; charset=utf-8", Buffer.concat([asset("color.css"), asset("docs.css")]), true)
    ],
    ["/docs/assets/docs.js", servedOf("text/javascript; charset=utf-8", asset("docs.js"), true)]
  ])
  const assetsVersion = createHash("sha256")
    .update([...assets.values()].map(({ etag }) => etag).join()).digest("base64url").slice(0, 10)

  const navigation: ReadonlyArray<NavigationGroup> = [
    ...contents.groups.map(({ pages, title }) => ({
      title,
      links: pages.map(({ name, title }) => ({ href: `/docs/${name}`, title }))
    })),
    {
      title: "API",
      links: [
        { href: "/docs/api", title: "All endpoints" },
        ...[...apiGroups().keys()].map((group) => ({ href: `/docs/api/${group}`, title: groupTitle(group) }))
      ]
    }
  ]
  const frame: Frame = { navigation, version: apiVersion, assetsVersion }

  const renderedPages = new Map<PageSource, RenderedPage>()
  const screenshots = new Map<string, string>()
  const rendered = (page: PageSource): RenderedPage => {
    const known = renderedPages.get(page)
    if (known !== undefined) return known
    const resolver = makeResolver(contents, resources, page.file)
    const made = renderMarkdown(page.markdown, {
      ...resolver,
      image: (target) => {
        const found = resolver.image(target)
        for (const href of found === undefined ? [] : [found.light, found.dark ?? found.light]) {
          screenshots.set(href, join(resources, href.slice("/docs/files/".length)))
        }
        return found
      }
    })
    renderedPages.set(page, made)
    return made
  }
  const hrefOf = ({ name }: PageSource) => name === "" ? "/docs" : `/docs/${name}`
  const sourceOf = ({ name }: PageSource) => `/docs/${name === "" ? "index" : name}.md`

  const pageAt = (page: PageSource): Served => {
    const { headings, html } = rendered(page)
    return servedOf(
      htmlType,
      shell(frame, {
        href: hrefOf(page),
        title: page.title,
        description: page.description,
        content: html,
        headings: page.name === "" ? [] : headings,
        source: sourceOf(page)
      })
    )
  }

  const apiAt = (group: string | undefined): Served | undefined => {
    const page = group === undefined ? apiIndexPage() : apiGroupPage(group, openApiDocument())
    const href = group === undefined ? "/docs/api" : `/docs/api/${group}`
    return page === undefined ? undefined : servedOf(htmlType, shell(frame, { href, ...page }))
  }

  const fileAt = (path: string): Served | undefined => {
    // A picture is known once a page that shows it is rendered.
    if (path.startsWith("/docs/files/screenshots/") && screenshots.size === 0) {
      for (const page of contents.byFile.values()) rendered(page)
    }
    const picture = screenshots.get(path)
    if (picture !== undefined) return servedOf("image/webp", readFileSync(picture))
    const file = files.get(path)
    if (file !== undefined) return servedOf("text/plain; charset=utf-8", readFileSync(file))
    const within = [...files.keys()].filter((each) => each.startsWith(`${path}/`))
    if (within.length === 0) return undefined
    const folder = path.slice("/docs/files/".length)
    const items = within.map((each) => `<li><a href="${each}">${escapeHtml(each.slice(path.length + 1))}</a></li>`)
    return servedOf(
      htmlType,
      shell(frame, {
        href: path,
        title: folder,
        description: `The files of ${folder}.`,
        content: `<h1>${escapeHtml(folder)}</h1><ul>${items.join("")}</ul>`,
        headings: []
      })
    )
  }

  const make = (path: string): Served | undefined => {
    if (path === "/docs") return pageAt(contents.home)
    if (path === "/docs/api") return apiAt(undefined)
    if (path.startsWith("/docs/api/")) return apiAt(path.slice("/docs/api/".length))
    if (path.startsWith("/docs/files/")) return fileAt(path)
    const name = path.slice("/docs/".length)
    if (name.endsWith(".md")) {
      const page = name === "index.md" ? contents.home : contents.byName.get(name.slice(0, -".md".length))
      return page === undefined || page.name === "" && name !== "index.md"
        ? undefined
        : servedOf("text/markdown; charset=utf-8", page.markdown)
    }
    const page = name === "" ? undefined : contents.byName.get(name)
    return page === undefined ? undefined : pageAt(page)
  }

  // Only addresses that exist are kept, so their number is bounded.
  const made = new Map<string, Served>(assets)
  const at = (path: string): Served | undefined => {
    const known = made.get(path) ?? make(path)
    if (known !== undefined) made.set(path, known)
    return known
  }

  const index = makeDocumentIndex()
  const steps: Array<() => void> = [
    ...Array.from(contents.byFile.values(), (page) => () =>
      index.add(
        rendered(page).sections.map(({ heading, id, isRow, text }) => ({
          href: `${hrefOf(page)}${id === "" ? "" : `#${id}`}`,
          page: page.title,
          heading,
          text,
          kind: isRow === true ? "row" : id === "" ? "page" : "section"
        }))
      )),
    () => index.add(apiSections()),
    // The first searches of a process are slow, until their code is compiled.
    () => void ["the first search", "aproval"].map(index.find)
  ].reverse()
  const warm = (): boolean => {
    steps.pop()?.()
    return steps.length > 0
  }
  const search = (query: string) => {
    while (warm()) { /* a search before the end of the preparation */ }
    return index.find(query)
  }

  return {
    contents,
    at,
    rendered,
    search,
    warm,
    files,
    searchPage: (query) => {
      const hits = query.trim() === "" ? [] : search(query)
      const list = hits.map(({ excerpt, href, title }) =>
        `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a><p>${escapeHtml(excerpt)}</p></li>`
      ).join("")
      const result = query.trim() === ""
        ? "<p>Enter words in the field above.</p>"
        : hits.length === 0
        ? `<p>No page has <strong>${
          escapeHtml(query)
        }</strong>. Try fewer or other words, or open <a href="/docs">the first page</a>.</p>`
        : `<p>${hits.length === 1 ? "1 result" : `${hits.length} results`} for <strong>${
          escapeHtml(query)
        }</strong></p><ol class="hits">${list}</ol>`
      return servedOf(
        htmlType,
        shell(frame, {
          href: "/docs/search",
          title: "Search",
          description: "Search the documentation.",
          content: `<h1>Search</h1>${result}`,
          headings: [],
          query
        })
      )
    },
    notFoundPage: () =>
      servedOf(
        htmlType,
        shell(frame, {
          href: "",
          title: "Page not found",
          description: "This page does not exist.",
          content: "<h1>Page not found</h1><p>This page does not exist in this version. Search for it above, or open " +
            "<a href=\"/docs\">the first page</a>.</p>",
          headings: []
        })
      ),
    llms: (origin) => {
      const line = (page: PageSource) =>
        `- [${page.title}](${origin}${sourceOf(page)})${page.description === "" ? "" : `: ${page.description}`}`
      const sections = contents.groups.map(({ pages, title }) => `## ${title}\n\n${pages.map(line).join("\n")}`)
      return servedOf(
        "text/plain; charset=utf-8",
        `# Countersign\n\n> ${contents.home.description}\n\n` +
          `An agent with a key reads its own operations and caps at ${origin}/api/v1/agent-docs.\n\n${
            sections.join("\n\n")
          }\n\n## API\n\n- [OpenAPI document](${origin}/api/v1/openapi.json): every endpoint with its schemas\n` +
          `- [Agent documentation](${origin}/api/v1/agent-docs): the rules of the API for agents, as JSON\n`
      )
    }
  }
}

let site: Site | undefined
/** Read at the first request of the process. */
export const documentation = (): Site => site ??= makeSite()
