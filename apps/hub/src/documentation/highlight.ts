/** Colors of code blocks: comments, strings, numbers, and words of the language, as spans with classes. Pure. */
import { escapeHtml } from "../platform/html.ts"

interface Language {
  /** Without groups. */
  readonly comment?: string
  readonly string: string
  readonly words: string
}

const strings = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`
const scripts: Language = {
  comment: String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`,
  string: `${strings}|` + String.raw`\x60(?:[^\x60\\]|\\.)*\x60`,
  words:
    "import|from|export|const|let|new|await|async|for|of|return|switch|case|break|default|if|else|try|catch|throw|function|true|false|null|undefined"
}
const python: Language = {
  comment: "#[^\\n]*",
  string: String.raw`"""[^]*?"""|` + strings,
  words:
    "import|from|with|as|def|class|return|if|elif|else|for|in|try|except|raise|await|async|print|not|and|or|is|None|True|False"
}
const shell: Language = {
  comment: "(?<=^|\\s)#[^\\n]*",
  string: strings,
  words: "curl|npm|npx|node|docker|kubectl|systemctl|export|countersign|pip|psql|kill|for|do|done|if|then|fi"
}
const json: Language = { string: strings, words: "true|false|null" }
const yaml: Language = { comment: "(?<=^|\\s)#[^\\n]*", string: strings, words: "true|false|null" }

const languages: Readonly<Record<string, Language>> = {
  ts: scripts,
  js: scripts,
  tsx: scripts,
  python,
  py: python,
  sh: shell,
  bash: shell,
  json,
  yaml,
  yml: yaml
}

/** The code as HTML; code of another language is only escaped. */
const highlighted = (code: string, name: string): string => {
  const language = languages[name]
  if (language === undefined) return escapeHtml(code)
  const pattern = new RegExp(
    `(?<comment>${language.comment ?? "(?!)"})|(?<string>${language.string})|` +
      `(?<number>(?<![\\w.])-?\\d+(?:\\.\\d+)?(?![\\w.]))|(?<word>(?<![\\w.-])(?:${language.words})(?![\\w-]))`,
    "gmu"
  )
  let html = ""
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0]
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(end))
}

/** A block of code. */
export const codeHtml = (label: string, code: string, language: string): string =>
  `<div class="code"><pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${
    highlighted(code, language)
  }</code></pre></div>`
