/**
 * Marks the end of content that a person has to read, and reports whether it was scrolled to: in view above the bar
 * that covers the view's lower edge, or scrolled past.
 */
import { type RefObject, useEffect, useRef } from "react"
import styles from "./end-mark.module.css"

export interface EndMarkProps {
  /** The bar that covers the lower edge of the scrolled view, or is below it. */
  readonly coveredBy: RefObject<HTMLElement | null>
  /** Called once the position is known, and whenever it changes. */
  readonly onChange: (isReached: boolean) => void
}

/** In pixels: a bar as high as its view would otherwise leave no room in which the end could be visible. */
const viewMin = 32

/** In pixels, more than the length of any screen: a jump beyond the end passes it without rendering it in view. */
const above = 10_000_000

/** The element that scrolls an element vertically. */
export const scrollerOf = (element: Element): Element => {
  for (let each = element.parentElement; each !== null; each = each.parentElement) {
    const { overflowY } = getComputedStyle(each)
    if (overflowY === "auto" || overflowY === "scroll") return each
  }
  return document.documentElement
}

/** How much of the scroller's lower edge the bar covers: 0 if the bar is outside of it. */
export const coveredIn = (scroller: Element, bar: HTMLElement | null): number =>
  bar !== null && scroller.contains(bar) ? bar.offsetHeight : 0

export const EndMark = ({ coveredBy, onChange }: EndMarkProps) => {
  const mark = useRef<HTMLSpanElement>(null)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useEffect(() => {
    const end = mark.current
    const bar = coveredBy.current
    if (end === null) return
    let intersections: IntersectionObserver | undefined
    // An observer's margin is fixed at creation, and the bar's height changes with its content.
    const observe = () => {
      intersections?.disconnect()
      // The scrolling element depends on the size of the window.
      const scroller = scrollerOf(end)
      const covered = Math.max(0, Math.min(coveredIn(scroller, bar), scroller.clientHeight - viewMin))
      intersections = new IntersectionObserver((entries) => latest.current(entries.at(-1)?.isIntersecting === true), {
        root: scroller,
        rootMargin: `${above}px 0px -${covered}px 0px`
      })
      intersections.observe(end)
    }
    observe()
    const sizes = new ResizeObserver(observe)
    sizes.observe(scrollerOf(end))
    if (bar !== null) sizes.observe(bar)
    return () => {
      sizes.disconnect()
      intersections?.disconnect()
    }
  }, [coveredBy])
  return <span ref={mark} className={styles.end} />
}
