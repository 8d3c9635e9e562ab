/**
 * Checks that references resolve: `Spec:` of comments to a page and heading of `resources/docs`, and links between
 * Markdown files. Plain JavaScript for the system's own Node: `npm run check` runs it.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"

const folders = ["apps", "packages", "resources", "test"]
const skipped = new Set(["dist", "node_modules", "out"])
const commented = /\.(?:[cm]?[jt]s|tsx|css|sql)$/
const docs = join("resources", "docs")

/** Documents outside of the repository, as comments may name them. */
const outside = [/\bcontract (?:section )?\d/i, /\bdesktop(?:-toolchain)? \d/i, /\b(?:contract|service|database)\.md\b/]

/** @param {string} text @returns {ReadonlyArray<string>} the lines, with fenced code replaced by empty ones */
const proseLines = (text) => {
  let fence = ""
  return text.split(/\r?\n/).map((line) => {
    const [, mark = ""] = /^\s*(```+|~~~+)/.exec(line) ?? []
    if (fence === "" && mark !== "") {
      fence = mark
      return ""
    }
    if (fence === "") return line
    if (mark.startsWith(fence)) fence = ""
    return ""
  })
}

const plain = (/** @type {string} */ text) => text.replaceAll("`", "").trim()

/** @param {string} markdown @returns {ReadonlyArray<string>} without the marks of code */
export const headingsOf = (markdown) =>
  proseLines(markdown).flatMap((line) => {
    const [, text] = /^#{1,6}\s+(.+?)\s*#*$/.exec(line) ?? []
    return text === undefined ? [] : [plain(text)]
  })

/** GitHub's anchors: a repeated heading gets a number. @param {string} markdown @returns {ReadonlySet<string>} */
export const anchorsOf = (markdown) => {
  const anchors = new Set()
  for (const heading of headingsOf(markdown)) {
    const slug = heading.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-")
    let anchor = slug
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`
    anchors.add(anchor)
  }
  return anchors
}

/** A comment begins its line or follows a blank or a brace, so that one inside a quoted string is not read. */
const openings = {
  css: /(?:^|\s)(\/\*+)/,
  sql: /(?:^|\s)(\/\*+|--)/,
  code: /(?:^|[\s{])(\/\*+|\/\/)/
}

/** @param {string} file */
const openingIn = (file) => file.endsWith(".css") ? openings.css : file.endsWith(".sql") ? openings.sql : openings.code

/**
 * The comments of a source file, each joined to one line of text. Line comments below each other are one comment.
 * @param {string} file
 * @param {string} source
 * @returns {ReadonlyArray<{ line: number, text: string }>}
 */
export const commentsOf = (file, source) => {
  /** @type {Array<{ line: number, text: string }>} */
  const comments = []
  /** @type {"none" | "block" | "lines"} */
  let open = "none"
  for (const [at, content] of source.split(/\r?\n/).entries()) {
    const start = open === "block" ? null : openingIn(file).exec(content)
    if (open !== "block" && start === null) {
      open = "none"
      continue
    }
    const isBlock = open === "block" || start?.[1]?.startsWith("/*") === true
    const rest = start === null ? content.replace(/^\s*\*(?!\/)/, "") : content.slice(start.index + start[0].length)
    const end = isBlock ? rest.indexOf("*/") : -1
    const text = (end < 0 ? rest : rest.slice(0, end)).trim()
    const hasOwnLine = start !== null && content.slice(0, start.index).trim() === ""
    const last = comments.at(-1)
    if (last !== undefined && (start === null || (open === "lines" && !isBlock && hasOwnLine))) {
      last.text = `${last.text} ${text}`.trim()
    } else comments.push({ line: at + 1, text })
    if (isBlock) open = end < 0 ? "block" : "none"
    else open = hasOwnLine ? "lines" : "none"
  }
  return comments
}

const reference = /^\s*(?:(reference\/[\w-]+\.md)\s+)?"([^"]+)"/

/**
 * What is wrong with the references of one comment.
 * @param {string} text
 * @param {(page: string) => ReadonlyArray<string> | undefined} headingsIn
 * @returns
 * {ReadonlyArray<string>}
 */
const commentProblems = (text, headingsIn) => {
  /** @type {Array<string>} */
  const problems = []
  for (const { index } of text.matchAll(/\bSpec:(?!`)/g)) {
    let rest = text.slice(index + "Spec:".length)
    let page = ""
    for (;;) {
      const found = reference.exec(rest)
      page = found?.[1] ?? page
      if (found === null || page === "") {
        problems.push(`"Spec:${rest.slice(0, 40)}" is not of the form Spec: reference/<page>.md "<heading>"`)
        break
      }
      const headings = headingsIn(page)
      const heading = plain(found[2] ?? "")
      if (headings === undefined) problems.push(`${page} does not exist in ${docs}`)
      else if (!headings.includes(heading)) problems.push(`${page} has no heading "${heading}"`)
      rest = rest.slice(found[0].length)
      if (/^\s*(?:[.;]|$)/.test(rest)) break
      if (!rest.startsWith(",")) {
        problems.push(`a reference ends with a period, not with "${rest.slice(0, 40)}"`)
        break
      }
      rest = rest.slice(1)
    }
  }
  for (const pattern of outside) {
    const mention = pattern.exec(text)
    if (mention !== null) problems.push(`"${mention[0]}" is a document outside of the repository`)
  }
  return problems
}

/** The targets of links and images, with their lines. @param {string} markdown */
const linksOf = (markdown) =>
  proseLines(markdown).flatMap((line, at) => {
    const prose = line.replace(/(`+)(?:(?!\1).)+\1/g, (code) => " ".repeat(code.length))
    const inline = [...prose.matchAll(/\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\)[^()\s<>]*)?)>?(?:\s+"[^"]*")?\s*\)/g)]
    const defined = [...prose.matchAll(/^\s*\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)/g)]
    return [...inline, ...defined].map(([, target = ""]) => ({ line: at + 1, target }))
  })

/** @param {string} root @param {string} folder @returns {ReadonlyArray<string>} relative to the root */
const filesBelow = (root, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return skipped.has(entry.name) || entry.name.startsWith(".") ? [] : filesBelow(root, path)
    return entry.isFile() ? [path] : []
  })

/**
 * Every reference and link of a repository that does not resolve, as `file:line: problem`.
 * @param {string} root
 * @returns {ReadonlyArray<string>}
 */
export const referenceProblems = (root) => {
  const files = [
    ...readdirSync(root).filter((name) => statSync(join(root, name)).isFile()),
    ...folders.filter((folder) => existsSync(join(root, folder))).flatMap((folder) => filesBelow(root, folder))
  ]
  const read = (/** @type {string} */ file) => readFileSync(join(root, file), "utf8")
  /** @type {Map<string, string | undefined>} */
  const documents = new Map()
  const documentAt = (/** @type {string} */ file) => {
    if (!documents.has(file)) documents.set(file, existsSync(join(root, file)) ? read(file) : undefined)
    return documents.get(file)
  }
  const headingsIn = (/** @type {string} */ page) => {
    const text = documentAt(join(docs, page))
    return text === undefined ? undefined : headingsOf(text)
  }
  const linkProblem = (/** @type {string} */ file, /** @type {string} */ target) => {
    if (/^[a-z][a-z\d+.-]*:/i.test(target)) return undefined
    const [path = "", anchor] = target.split("#", 2)
    const to = path === "" ? file : normalize(join(dirname(file), decodeURIComponent(path)))
    if (path.startsWith("/") || relative(".", to).startsWith("..")) return `the link ${target} leaves the repository`
    if (!existsSync(join(root, to))) return `the link ${target} leads to no file`
    const text = anchor === undefined || !to.endsWith(".md") ? undefined : documentAt(to)
    return text === undefined || anchorsOf(text).has(anchor ?? "")
      ? undefined
      : `the link ${target} names no heading of ${to}`
  }
  return files.flatMap((file) => {
    if (file.endsWith(".md")) {
      return linksOf(read(file)).flatMap(({ line, target }) => {
        const problem = linkProblem(file, target)
        return problem === undefined ? [] : [`${file}:${line}: ${problem}`]
      })
    }
    if (!commented.test(file)) return []
    return commentsOf(file, read(file)).flatMap(({ line, text }) =>
      commentProblems(text, headingsIn).map((problem) => `${file}:${line}: ${problem}`)
    )
  })
}
