/**
 * The pages of `resources/docs` and their order. A page's address is its file's name. Files are read once in a process;
 * requests only look pages up by name.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { withGenerated } from "./generated.ts"
import { titleOf } from "./markdown.ts"

export const docsDir = resolve(import.meta.dirname, "../../../../resources/docs")

export interface PageSource {
  /** The last part of its address: `/docs/<name>`. The home page's is empty. */
  readonly name: string
  /** Relative to `resources/docs`, with `/`. */
  readonly file: string
  readonly title: string
  readonly description: string
  /** Generated tables included. */
  readonly markdown: string
}

export interface PageGroup {
  readonly title: string
  readonly pages: ReadonlyArray<PageSource>
}

export interface Contents {
  readonly home: PageSource
  readonly groups: ReadonlyArray<PageGroup>
  readonly byName: ReadonlyMap<string, PageSource>
  readonly byFile: ReadonlyMap<string, PageSource>
}

const homeFile = "index.md"
/** The group of pages that `contents.json` does not list. */
const otherTitle = "More"

const nameOf = (file: string): string => file === homeFile ? "" : file.replace(/^.*\//u, "").replace(/\.md$/u, "")

export const readContents = (directory: string): Contents => {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".md"))
    .sort()
  const sources = files.map((file): PageSource => {
    const markdown = withGenerated(readFileSync(join(directory, file), "utf8"))
    return { name: nameOf(file), file, markdown, ...titleOf(markdown) }
  })
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const home = byFile.get(homeFile)
  if (home === undefined) throw new Error(`${directory} has no ${homeFile}`)
  const listed = JSON.parse(readFileSync(join(directory, "contents.json"), "utf8")) as ReadonlyArray<
    { readonly title: string; readonly files: ReadonlyArray<string> }
  >
  const groups = listed.map(({ files, title }) => ({ title, pages: files.flatMap((file) => byFile.get(file) ?? []) }))
  const placed = new Set<PageSource>([home, ...groups.flatMap(({ pages }) => pages)])
  const others = sources.filter((source) => !placed.has(source))
  return {
    home,
    groups: others.length === 0 ? groups : [...groups, { title: otherTitle, pages: others }],
    byName: new Map(sources.map((source) => [source.name, source])),
    byFile
  }
}
