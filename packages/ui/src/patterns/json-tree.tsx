/** The sent JSON: foldable by brackets, searchable, copyable. Loaded at first use. */
import { type CSSProperties, type ReactNode, useMemo, useState } from "react"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { classNames } from "../components/class-names.ts"
import { CopyButton, type CopyTexts } from "../components/copy-button.tsx"
import { TextField } from "../components/text-field.tsx"
import { type JsonLine, jsonLines, searchLines } from "./json-lines.ts"
import styles from "./json-tree.module.css"
import { RevealedText, type RevealTexts } from "./revealed-text.tsx"

export interface JsonTreeTexts extends RevealTexts {
  readonly search: string
  readonly matches: (count: number) => string
  readonly fold: string
  readonly unfold: string
  readonly items: (count: number) => string
  readonly masked: string
  /** The button for further lines. */
  readonly more: (left: number) => string
  readonly copyJson: CopyTexts
}

export interface JsonTreeProps {
  readonly value: unknown
  /** Rendered after the last line once all lines are rendered. */
  readonly end?: ReactNode
  readonly texts: JsonTreeTexts
}

const linesAtOnce = 400

export const JsonTree = ({ value, end, texts }: JsonTreeProps) => {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const [sought, setSought] = useState("")
  const [drawn, setDrawn] = useState(linesAtOnce)
  const searching = sought.trim() !== ""
  const lines = useMemo(() => jsonLines(value, searching ? undefined : folded), [value, folded, searching])
  const found = useMemo(() => new Set(searchLines(lines, sought)), [lines, sought])
  const toggle = (id: string) => {
    const next = new Set(folded)
    if (!next.delete(id)) next.add(id)
    setFolded(next)
  }
  return (
    <div className="grid gap-8 min-w-0">
      <div className="flex items-center gap-12">
        <TextField
          label={texts.search}
          labelHidden
          placeholder={texts.search}
          type="search"
          value={sought}
          onChange={setSought}
          className={styles.search}
        />
        <span className={styles.matches} aria-live="polite">{searching ? texts.matches(found.size) : ""}</span>
        <CopyButton value={JSON.stringify(value, null, 2) ?? ""} texts={texts.copyJson} />
      </div>
      <div className="px-12 py-8 border rounded-control bg-sunken overflow-x-auto type-mono">
        {(searching ? aroundFound(lines, found) : lines).slice(0, drawn).map((line) => (
          <Line
            key={line.id}
            line={line}
            found={found.has(line.id)}
            texts={texts}
            onFold={searching ? undefined : toggle}
          />
        ))}
      </div>
      {!searching && lines.length > drawn && (
        <Button size="small" onClick={() => setDrawn(drawn + linesAtOnce)}>{texts.more(lines.length - drawn)}</Button>
      )}
      {!searching && lines.length <= drawn && end}
    </div>
  )
}

/** Matching lines, with the lines that contain them. */
const aroundFound = (lines: ReadonlyArray<JsonLine>, found: ReadonlySet<string>): ReadonlyArray<JsonLine> => {
  const kept = new Set<string>([""])
  for (const id of found) {
    for (let at = id; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) kept.add(at)
  }
  return lines.filter((line) =>
    kept.has(line.id) || (line.kind === "close" && kept.has(line.id.slice(0, -"#end".length)))
  )
}

interface LineProps {
  readonly line: JsonLine
  readonly found: boolean
  readonly texts: JsonTreeTexts
  readonly onFold: ((id: string) => void) | undefined
}

const Line = ({ line, found, texts, onFold }: LineProps) => (
  <div className={classNames(styles.line, found && styles.found)} style={{ "--depth": line.depth } as CSSProperties}>
    {line.kind === "open" && line.size > 0 && onFold !== undefined && (
      <button
        type="button"
        className={styles.fold}
        aria-expanded={!line.folded}
        aria-label={`${line.folded ? texts.unfold : texts.fold} ${line.name ?? ""}`.trim()}
        onClick={() => onFold(line.id)}
      />
    )}
    {line.name !== undefined && (
      <span className="text-2">
        {"\""}
        <RevealedText text={line.name} texts={texts} />
        {"\": "}
      </span>
    )}
    {line.kind === "masked"
      ? <Badge>{texts.masked}</Badge>
      : (
        <span className={styles[line.kind]}>
          <RevealedText text={line.text} texts={texts} />
        </span>
      )}
    {line.folded && <span className={styles.items}>{texts.items(line.size)}</span>}
    {!line.last && (line.kind !== "open" || line.folded || line.size === 0) && ","}
  </div>
)

export default JsonTree
