/**
 * Markdown of a model as elements. No HTML is ever built from it: HTML in the text stays text, images become links, and
 * links lead only to web and mail addresses. Loads nothing from anywhere.
 */
import { marked, type MarkedToken, type Token, type Tokens } from "marked"
import { createElement, memo, type ReactNode, useMemo } from "react"
import { CopyButton } from "../components/copy-button.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { actText } from "../text/acts.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./markdown.module.css"

const addressOf = (href: string): string | undefined => {
  try {
    const url = new URL(href)
    return ["https:", "http:", "mailto:"].includes(url.protocol) ? url.href : undefined
  } catch {
    return undefined
  }
}

/** Lists and quotations nest no deeper than this; the rest is text. */
const depthMax = 12

const Outside = ({ children, href }: { readonly href: string; readonly children: ReactNode }) => {
  const address = addressOf(href)
  return address === undefined
    ? <>{children}</>
    : <a className={styles.link} href={address} title={address} target="_blank" rel="noreferrer noopener">{children}</a>
}

const Plain = ({ text }: { readonly text: string }) => <RevealedText text={text} texts={reveal} />

/** The lexer escapes entities in some tokens' texts. */
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", "#39": "'" }
const plain = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/gu, (whole, name: string) => entities[name] ?? whole)

const Inline = ({ depth, tokens }: { readonly tokens: ReadonlyArray<Token>; readonly depth: number }): ReactNode =>
  tokens.map((each, at) => <InlineToken key={at} token={each as MarkedToken} depth={depth} />)

const InlineToken = ({ depth, token }: { readonly token: MarkedToken; readonly depth: number }): ReactNode => {
  if (depth > depthMax) return <Plain text={token.raw} />
  const within = "tokens" in token && token.tokens !== undefined
    ? <Inline tokens={token.tokens} depth={depth + 1} />
    : null
  switch (token.type) {
    case "strong":
      return <strong>{within}</strong>
    case "em":
      return <em>{within}</em>
    case "del":
      return <del>{within}</del>
    case "codespan":
      return <code className={styles.code}>{plain(token.text)}</code>
    case "br":
      return <br />
    case "link":
      return <Outside href={token.href}>{within}</Outside>
    case "image":
      return <Outside href={token.href}>{token.text === "" ? token.href : token.text}</Outside>
    case "text":
      return within ?? <Plain text={plain(token.text)} />
    case "escape":
      return <Plain text={plain(token.text)} />
    default:
      return <Plain text={token.raw} />
  }
}

const Code = ({ lang, text }: { readonly text: string; readonly lang: string | undefined }) => (
  <div className={styles.block}>
    <pre className={styles.pre} tabIndex={0}><code translate="no">{text}</code></pre>
    <div className={styles.blockActs}>
      {lang !== undefined && lang !== "" && <code className="type-meta text-3">{lang}</code>}
      <CopyButton value={text} texts={actText.copying} iconOnly />
    </div>
  </div>
)

const Table = ({ depth, token }: { readonly token: Tokens.Table; readonly depth: number }) => (
  <div className={styles.wide} tabIndex={0}>
    <table className={styles.table}>
      <thead>
        <tr>
          {token.header.map((cell, at) => (
            <th key={at} scope="col" style={{ textAlign: cell.align ?? "start" }}>
              <Inline tokens={cell.tokens} depth={depth + 1} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, line) => (
          <tr key={line}>
            {row.map((cell, at) => (
              <td key={at} style={{ textAlign: cell.align ?? "start" }}>
                <Inline tokens={cell.tokens} depth={depth + 1} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Blocks = ({ depth, tokens }: { readonly tokens: ReadonlyArray<Token>; readonly depth: number }): ReactNode =>
  tokens.map((each, at) => <Block key={at} token={each as MarkedToken} depth={depth} />)

/** The screen's headings come first. */
const headingDepth = (depth: number): number => Math.min(6, depth + 3)

const Block = ({ depth, token }: { readonly token: MarkedToken; readonly depth: number }): ReactNode => {
  if (depth > depthMax) return <Plain text={token.raw} />
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "hr":
      return <hr className={styles.rule} />
    case "heading":
      return createElement(
        `h${headingDepth(token.depth)}`,
        { className: styles.heading },
        <Inline tokens={token.tokens} depth={depth + 1} />
      )
    case "paragraph":
      return (
        <p>
          <Inline tokens={token.tokens} depth={depth + 1} />
        </p>
      )
    case "code":
      return <Code lang={token.lang} text={token.text} />
    case "blockquote":
      return (
        <blockquote className={styles.quote}>
          <Blocks tokens={token.tokens} depth={depth + 1} />
        </blockquote>
      )
    case "list":
      return createElement(
        token.ordered ? "ol" : "ul",
        { className: styles.list, ...token.ordered && token.start !== "" ? { start: token.start } : {} },
        token.items.map((item, at) => (
          <li key={at}>
            <Blocks tokens={item.tokens} depth={depth + 1} />
          </li>
        ))
      )
    case "checkbox":
      return <span>{token.checked ? "☑ " : "☐ "}</span>
    case "table":
      return <Table token={token} depth={depth} />
    case "html":
      return (
        <p>
          <Plain text={token.text.trimEnd()} />
        </p>
      )
    default:
      return <InlineToken token={token} depth={depth} />
  }
}

/** A longer text is shown as it is: it would block the page while it is read. */
const parsedMax = 100_000

export const Markdown = memo(({ text }: { readonly text: string }) => {
  const tokens = useMemo(() => text.length > parsedMax ? undefined : marked.lexer(text, { gfm: true }), [text])
  return (
    <div className={styles.text}>
      {tokens === undefined ? <Plain text={text} /> : <Blocks tokens={tokens} depth={0} />}
    </div>
  )
})
