/**
 * Shows the full time of a relative one without hover: on keyboard focus of the time or of the control or row around
 * it, and on tap. Render it once around the app.
 */
import { useEffect, useId, useState } from "react"
import type { Side } from "../components/tooltip-place.ts"
import { Word } from "../components/tooltip.tsx"

const times = "time[data-whole]"
const controls = "a, button, input, summary, [role=row], [role=gridcell], [role=option], [role=menuitem]"
const rows = "tr, li, [role=row]"
const focusable = "a[href], button, input, summary, [tabindex='0']"

/** Whether a time needs its own tab stop: no focusable element contains it or is in its row. */
export const isAlone = (time: HTMLElement): boolean =>
  time.closest(`${controls}, label`) === null && time.closest(rows)?.querySelector(focusable) == null

/** The time that belongs to a focused element. */
const timeOf = (element: Element): HTMLElement | null =>
  element.matches(times)
    ? element as HTMLElement
    : !element.matches(controls)
    ? null
    : element.querySelector<HTMLElement>(times) ?? element.closest(rows)?.querySelector<HTMLElement>(times) ?? null

interface Tip {
  readonly time: HTMLElement
  readonly side: Side
}

/** Above the time, but below it where the focused element is above: the tip would cover that. */
const tipOf = (focused: Element): Tip | null => {
  const time = timeOf(focused)
  if (time === null) return null
  const isBelow = focused.getBoundingClientRect().bottom <= time.getBoundingClientRect().top
  return { time, side: isBelow ? "bottom" : "top" }
}

/** For a tapped time. */
const tappedTip = (target: Element): Tip | null => {
  const time = target.closest<HTMLElement>(times)
  return time === null ? null : { time, side: "top" }
}

export const TimeTip = () => {
  const id = useId()
  const [tip, setTip] = useState<Tip | null>(null)
  const close = () => setTip(null)
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) =>
      setTip(target instanceof Element && target.matches(":focus-visible") ? tipOf(target) : null)
    const onPointer = ({ pointerType, target }: PointerEvent) =>
      setTip(pointerType === "touch" && target instanceof Element ? tappedTip(target) : null)
    document.addEventListener("focusin", onFocus)
    document.addEventListener("focusout", close)
    document.addEventListener("pointerup", onPointer)
    return () => {
      document.removeEventListener("focusin", onFocus)
      document.removeEventListener("focusout", close)
      document.removeEventListener("pointerup", onPointer)
    }
  }, [])
  const whole = tip?.time.dataset["whole"]
  if (tip === null || whole === undefined || !tip.time.isConnected) return null
  return (
    <Word key={whole} id={id} control={tip.time} side={tip.side} onStay={() => {}} onLeave={close} onEscape={close}>
      {whole}
    </Word>
  )
}
