/**
 * Bars per day from a zero baseline, stacked by series in a fixed order; blocked requests are hatched. Arrow keys move
 * between days and announce their values; dragging, or Shift with arrows, selects a range; a table with the same
 * figures is one press away.
 */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react"
import { Button } from "../components/button.tsx"
import { classNames } from "../components/class-names.ts"
import styles from "./day-bars.module.css"
import type { NiceScale } from "./nice-scale.ts"

export interface DaySeries {
  readonly id: string
  readonly name: string
  /** One of six colors, or the color for all others. */
  readonly color: 1 | 2 | 3 | 4 | 5 | 6 | "other"
  readonly hatched?: boolean | undefined
}

export interface Day {
  /** `2026-11-21`. */
  readonly date: string
  /** In the order of the series. */
  readonly values: ReadonlyArray<number>
}

export interface DayBarsProps {
  readonly label: string
  readonly series: ReadonlyArray<DaySeries>
  readonly days: ReadonlyArray<Day>
  readonly scale: NiceScale
  /** The text of a value: on the axis, in the table, and for screen readers. */
  readonly valueText: (value: number) => string
  readonly axisText?: ((value: number) => string) | undefined
  readonly dateText: (date: string, size: "axis" | "whole") => string
  /** First and last day of the selection. */
  readonly range?: readonly [string, string] | undefined
  readonly onRange?: ((range: readonly [string, string] | undefined) => void) | undefined
  readonly height?: number | undefined
  /** Without axis labels, legend, and table: one of several small charts. */
  readonly small?: boolean | undefined
  readonly aside?: ReactNode
  readonly texts: {
    readonly asTable: string
    readonly asBars: string
    readonly date: string
    readonly total: string
    /** Instructions for screen readers, after the name. */
    readonly usage: string
  }
}

const barMax = 24
const axisWidth = 56
const footHeight = 20
const axisDates = 6

export const DayBars = (props: DayBarsProps) => {
  const { series, small = false, aside, texts } = props
  const [table, setTable] = useState(false)
  if (small) return <Bars {...props} />
  return (
    <figure className="grid gap-8 min-w-0">
      <figcaption className="flex flex-wrap items-center gap-4 gap-x-16">
        {series.length > 1 && (
          <ul className="flex flex-wrap gap-4 gap-x-16 type-note text-2">
            {series.map((one) => (
              <li key={one.id} className={styles.entry}>
                <span
                  className={classNames(styles.swatch, styles[`c${one.color}`], one.hatched && styles.hatch)}
                  aria-hidden
                />
                {one.name}
              </li>
            ))}
          </ul>
        )}
        <span className="inline-flex items-center gap-8 ms-auto">
          {aside}
          <Button size="small" variant="bare" onClick={() => setTable(!table)}>
            {table ? texts.asBars : texts.asTable}
          </Button>
        </span>
      </figcaption>
      {table ? <Figures {...props} /> : <Bars {...props} />}
    </figure>
  )
}

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

const Bars = ({
  label,
  series,
  days,
  scale,
  valueText,
  axisText = valueText,
  dateText,
  range,
  onRange,
  height = 200,
  small = false,
  texts
}: DayBarsProps) => {
  const box = useRef<HTMLDivElement>(null)
  const hatch = useId()
  const [width, setWidth] = useState(640)
  const [at, setAt] = useState<number>()
  const [anchor, setAnchor] = useState<number>()
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = () => setWidth(Math.max(120, element.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const left = small ? 0 : axisWidth
  const plotHeight = height - (small ? 2 : footHeight) - 6
  const step = (width - left) / Math.max(1, days.length)
  const bar = Math.max(1, Math.min(barMax, step - Math.max(1, step * 0.24)))
  const y = (value: number) => 6 + plotHeight * (1 - value / scale.max)
  const dayAt = (x: number) => Math.min(days.length - 1, Math.max(0, Math.floor((x - left) / step)))
  const marked = range === undefined ? undefined : {
    first: days.findIndex((day) => day.date >= range[0]),
    last: days.findLastIndex((day) => day.date <= range[1])
  }
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, Math.min(axisDates, Math.floor((width - left) / 72)))))
  const day = at === undefined ? undefined : days[at]

  const mark = (one: number, other: number) => {
    const [from, to] = [days[Math.min(one, other)], days[Math.max(one, other)]]
    if (from !== undefined && to !== undefined) onRange?.([from.date, to.date])
  }
  const xOf = (event: PointerEvent) => event.clientX - event.currentTarget.getBoundingClientRect().left
  const onKeyDown = (event: KeyboardEvent) => {
    const from = at ?? days.length - 1
    const away = at === undefined ? 0 : 1
    const to = { ArrowRight: from + away, ArrowLeft: from - away, Home: 0, End: days.length - 1 }[event.key]
    if (event.key === "Escape" && marked !== undefined) {
      event.preventDefault()
      event.stopPropagation()
      setAnchor(undefined)
      return onRange?.(undefined)
    }
    if (to === undefined || days.length === 0) return
    event.preventDefault()
    const next = Math.min(days.length - 1, Math.max(0, to))
    setAt(next)
    if (!event.shiftKey || onRange === undefined) return setAnchor(undefined)
    setAnchor(anchor ?? from)
    mark(anchor ?? from, next)
  }
  const announcement = day === undefined ? "" : [
    dateText(day.date, "whole"),
    ...(series.length > 1 ? series.map((one, index) => `${one.name} ${valueText(day.values[index] ?? 0)}`) : []),
    valueText(sum(day.values))
  ].join(", ")

  return (
    <div
      ref={box}
      className={styles.plot}
      style={{ blockSize: `${height}px` }}
      role="application"
      tabIndex={0}
      aria-label={`${label}. ${texts.usage}`}
      onKeyDown={onKeyDown}
      onBlur={() => setAt(undefined)}
      onPointerMove={(event) => {
        const over = dayAt(xOf(event))
        setAt(over)
        if (anchor !== undefined && event.buttons === 1 && over !== anchor) mark(anchor, over)
      }}
      onPointerLeave={() => setAt(undefined)}
      onPointerDown={(event) => {
        if (onRange === undefined || event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setAnchor(dayAt(xOf(event)))
      }}
      onPointerUp={() => setAnchor(undefined)}
    >
      <svg width={width} height={height} aria-hidden className={styles.drawing}>
        <defs>
          <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="1.5" height="4" fill="currentColor" />
          </pattern>
        </defs>
        {!small && scale.ticks.map((tick) => {
          const line = Math.round(y(tick)) + 0.5
          return (
            <g key={tick}>
              <line x1={left} x2={width} y1={line} y2={line} className={tick === 0 ? styles.base : styles.grid} />
              <text x={left - 8} y={line} className={styles.axis} textAnchor="end" dominantBaseline="central">
                {axisText(tick)}
              </text>
            </g>
          )
        })}
        {small && <line x1={0} x2={width} y1={y(0) + 0.5} y2={y(0) + 0.5} className={styles.base} />}
        {marked !== undefined && marked.first >= 0 && marked.last >= marked.first && (
          <rect
            x={left + marked.first * step}
            y={0}
            width={(marked.last - marked.first + 1) * step}
            height={y(0)}
            className={styles.range}
          />
        )}
        {at !== undefined && <rect x={left + at * step} y={0} width={step} height={y(0)} className={styles.pointed} />}
        {days.map((one, index) => {
          const x = left + index * step + (step - bar) / 2
          let below = 0
          return (
            <g key={one.date}>
              {series.map((kind, place) => {
                const value = one.values[place] ?? 0
                if (value <= 0) return null
                const from = y(below)
                below += value
                // at least 1 px, so that a small value stays visible
                const tall = Math.max(1, from - y(below))
                return (
                  <g key={kind.id} className={styles[`c${kind.color}`]}>
                    <rect
                      x={x}
                      y={from - tall}
                      width={bar}
                      height={tall}
                      fill={kind.hatched ? `url(#${hatch})` : "currentColor"}
                    />
                    {kind.hatched && (
                      <rect
                        x={x + 0.5}
                        y={from - tall + 0.5}
                        width={Math.max(0, bar - 1)}
                        height={Math.max(0, tall - 1)}
                        fill="none"
                        stroke="currentColor"
                      />
                    )}
                  </g>
                )
              })}
            </g>
          )
        })}
        {!small && days.map((one, index) =>
          index % every === 0 && left + index * step + 32 < width && (
            <text key={one.date} x={left + index * step + (step - bar) / 2} y={height - 5} className={styles.axis}>
              {dateText(one.date, "axis")}
            </text>
          )
        )}
      </svg>
      {day !== undefined && at !== undefined && (
        <div
          className={styles.card}
          data-side={at * step > (width - left) / 2 ? "before" : "after"}
          style={{ insetInlineStart: `${left + at * step + step / 2}px` }}
          aria-hidden
        >
          <span className="text-3">{dateText(day.date, "whole")}</span>
          {series.length > 1 && series.map((one, index) => (
            <span key={one.id} className={styles.cardLine}>
              <span className={classNames(styles.swatch, styles[`c${one.color}`], one.hatched && styles.hatch)} />
              <span className={styles.cardName}>{one.name}</span>
              {valueText(day.values[index] ?? 0)}
            </span>
          ))}
          <span className="weight-strong text-end">{valueText(sum(day.values))}</span>
        </div>
      )}
      <span className="sr-only" aria-live="polite">{announcement}</span>
    </div>
  )
}

const Figures = ({ label, series, days, valueText, dateText, texts }: DayBarsProps) => (
  <div className={styles.figures} tabIndex={0} role="group" aria-label={label}>
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{texts.date}</th>
          {series.length > 1 &&
            series.map((one) => <th key={one.id} scope="col" className={styles.number}>{one.name}</th>)}
          <th scope="col" className={styles.number}>{texts.total}</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <tr key={day.date}>
            <th scope="row">{dateText(day.date, "whole")}</th>
            {series.length > 1 &&
              series.map((one, at) => <td key={one.id} className={styles.number}>{valueText(day.values[at] ?? 0)}</td>)}
            <td className={styles.number}>{valueText(sum(day.values))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
