/**
 * A command's live output. Rows have one height and the view's width, so that megabytes scroll like ten lines; the view
 * follows the end until the person scrolls up.
 */
import { revealedParts } from "@countersign/domain/hidden-characters"
import { ArrowDown } from "lucide-react"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { classNames } from "../components/class-names.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { Panel } from "../components/panel.tsx"
import boxStyles from "../patterns/revealed-text.module.css"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { commandsText } from "../text/commands.ts"
import { payloadText } from "../text/payload.ts"
import type { Look } from "./ansi.ts"
import { bytesText } from "./bytes-text.ts"
import { type Line, type StreamName, textOf } from "./output-log.ts"
import { makeRowIndex, type Row, rowsInSight } from "./output-rows.ts"
import styles from "./output-view.module.css"
import { type FollowedOutput, useOutput } from "./use-output.ts"

export const rowHeight = 18
/** At a larger distance from the end the person has scrolled up. */
const endSlack = 24
const columnsMin = 20

type Shown = StreamName | "both"

interface Place {
  readonly columns: number
  readonly height: number
}

export interface OutputViewProps {
  readonly command: string
  /** The command has not started or has ended; this selects the text for empty output. */
  readonly isUnstarted: boolean
}

export const OutputView = ({ command, isUnstarted }: OutputViewProps) => {
  const t = commandsText
  const output = useOutput(command)
  const [shown, setShown] = useState<Shown>("both")
  const hasBoth = output.log.has("stderr") && output.log.has("stdout")
  const copied = () =>
    textOf(
      [...output.log.lines, ...output.log.open()].filter(({ stream }) => shown === "both" || stream === shown),
      (bytes) => t.output.missing(bytesText(t.bytes, bytes))
    )
  const isEmpty = output.log.lines.length === 0 && output.log.open().length === 0
  return (
    <Panel
      title={t.output.title}
      flush
      actions={
        <>
          <Phase output={output} />
          {hasBoth && (
            <label className="inline-flex">
              <span className="sr-only">{t.output.streams}</span>
              <select
                className={styles.select}
                value={shown}
                onChange={(event) => setShown(event.currentTarget.value as Shown)}
              >
                {(["both", "stdout", "stderr"] as const).map((value) => (
                  <option key={value} value={value}>
                    {t.output[value]}
                  </option>
                ))}
              </select>
            </label>
          )}
          {!isEmpty && <LazyCopy text={copied} />}
        </>
      }
    >
      {output.phase === "failed"
        ? (
          <div className="p-16 type-body text-2">
            <Problem inline error={output.error} failed={t.output.failed} />
          </div>
        )
        : isEmpty
        ? (
          <p className="p-16 type-body text-2">
            {output.phase === "ended" ? t.output.none : isUnstarted ? t.output.notStarted : t.output.noneYet}
          </p>
        )
        : <Log output={output} shown={shown} />}
    </Panel>
  )
}

const Phase = ({ output: { phase } }: { readonly output: FollowedOutput }) => {
  const t = commandsText.output
  const words = { reading: t.connecting, live: t.live, lost: t.lost, ended: t.ended, failed: "" }[phase]
  return (
    <span className={`inline-flex items-center type-note text-2 ${styles.phase}`} role="status" data-phase={phase}>
      {phase === "live" && <StatusGlyph look="running" toned />}
      {words}
    </span>
  )
}

/** Builds the text on demand, so that megabytes are not stored twice. */
const LazyCopy = ({ text }: { readonly text: () => string }) => {
  const t = commandsText.output
  const [value, setValue] = useState("")
  return (
    <span className="inline-flex" onPointerEnter={() => setValue(text())} onFocus={() => setValue(text())}>
      <CopyButton value={value} texts={t.copy} />
    </span>
  )
}

const Log = ({ output, shown }: { readonly output: FollowedOutput; readonly shown: Shown }) => {
  const t = commandsText.output
  const scroller = useRef<HTMLDivElement>(null)
  const probe = useRef<HTMLSpanElement>(null)
  const [{ columns, height }, setPlace] = useState<Place>({ columns: 80, height: 480 })
  const [scrollTop, setScrollTop] = useState(0)
  const [follows, setFollows] = useState(true)

  useLayoutEffect(() => {
    const [box, ruler] = [scroller.current, probe.current]
    if (box === null || ruler === null) return
    const measure = () => {
      const style = getComputedStyle(box)
      const room = box.clientWidth - Number.parseFloat(style.paddingInlineStart) -
        Number.parseFloat(style.paddingInlineEnd)
      const cell = ruler.getBoundingClientRect().width / 100
      const columns = cell > 0 ? Math.max(columnsMin, Math.floor((room - 14) / cell)) : 80
      setPlace((before) =>
        before.columns === columns && before.height === box.clientHeight
          ? before
          : { columns, height: box.clientHeight }
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    observer.observe(ruler)
    return () => observer.disconnect()
  }, [])

  const { lines } = output.log
  const index = useMemo(
    () => makeRowIndex(lines, columns, ({ stream }: Line) => shown === "both" || stream === shown),
    [lines, columns, shown]
  )
  index.grow()
  // The incomplete last line of each stream.
  const open = makeRowIndex(output.log.open(), columns, ({ stream }: Line) => shown === "both" || stream === shown)
  const whole = index.count()
  const count = whole + open.count()
  const sight = rowsInSight(scrollTop, height, count, rowHeight)

  useEffect(() => {
    const box = scroller.current
    if (box !== null && follows) box.scrollTop = box.scrollHeight
  }, [follows, output.version, count, height])

  const rows: Array<Row | undefined> = []
  for (let at = sight.first; at < sight.end; at++) rows.push(at < whole ? index.row(at) : open.row(at - whole))
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={`relative bg-sunken ${styles.scroller}`}
        role="log"
        aria-live="off"
        aria-label={t.label}
        tabIndex={0}
        style={{ blockSize: `${Math.min(count, 34) * rowHeight + 24}px` }}
        onScroll={(event) => {
          const { clientHeight, scrollHeight, scrollTop } = event.currentTarget
          setScrollTop(scrollTop)
          setFollows(scrollHeight - clientHeight - scrollTop <= endSlack)
        }}
      >
        <span ref={probe} className={`type-mono ${styles.probe}`} aria-hidden>
          {"0".repeat(100)}
        </span>
        <pre className={styles.rows} style={{ blockSize: `${sight.height}px` }}>
          <span className="block" style={{ transform: `translateY(${sight.top}px)` }}>
            {rows.map((row, at) => row !== undefined && <RowView key={sight.first + at} row={row} />)}
          </span>
        </pre>
      </div>
      {!follows && (
        <div className={styles.follow}>
          <Button size="small" icon={<ArrowDown />} onClick={() => setFollows(true)}>
            {t.follow}
          </Button>
        </div>
      )}
    </div>
  )
}

const lookClasses = ({ ground, ink, slanted, strong, struck, under }: Look): string | undefined =>
  classNames(
    ink !== undefined && styles[ink],
    ground !== undefined && styles.ground,
    ground !== undefined && styles[`${ground}Ground`],
    strong && styles.strong,
    slanted && styles.slanted,
    under && styles.under,
    struck && styles.struck
  )

const RowView = ({ row: { line, part, runs } }: { readonly row: Row }) => {
  const t = commandsText
  if (line.kind === "gap") {
    return (
      <span className={`flex items-center gap-12 type-label text-2 ${styles.gap}`} data-stream={line.stream}>
        <span>{t.output.missing(bytesText(t.bytes, line.bytes))}</span>
      </span>
    )
  }
  return (
    <span className={styles.row} data-stream={line.stream} data-goes-on={part > 0 || undefined}>
      {line.stream === "stderr" && part === 0 && <span className="sr-only">{`${t.output.stderr} `}</span>}
      {runs.map((run, at) => (
        <span key={at} className={run.look === undefined ? undefined : lookClasses(run.look)}>
          <Revealed text={run.text} />
        </span>
      ))}
      {runs.length === 0 && " "}
    </span>
  )
}

const Revealed = ({ text }: { readonly text: string }) => {
  const reason = payloadText.reason
  return revealedParts(text).map((part, at) =>
    part.kind === "plain"
      ? (
        part.text
      )
      : (
        <span key={at} className={boxStyles.box} data-reason={part.reason} title={reason(part.reason, part.like)}>
          {part.reason === "lookalike" && <span className={boxStyles.letter}>{part.text}</span>}
          {part.codePoint}
        </span>
      )
  )
}
