/**
 * Shows the full time of a relative one without hover: on keyboard focus of the time or of the control or row around
 * it, and on tap. Render it once around the app.
 */
import { useEffect, useId, useState } from "react"
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

export const TimeTip = () => {
  const id = useId()
  const [time, setTime] = useState<HTMLElement | null>(null)
  const close = () => setTime(null)
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) =>
      setTime(target instanceof Element && target.matches(":focus-visible") ? timeOf(target) : null)
    const onPointer = ({ pointerType, target }: PointerEvent) =>
      setTime(pointerType === "touch" && target instanceof Element ? target.closest<HTMLElement>(times) : null)
    document.addEventListener("focusin", onFocus)
    document.addEventListener("focusout", close)
    document.addEventListener("pointerup", onPointer)
    return () => {
      document.removeEventListener("focusin", onFocus)
      document.removeEventListener("focusout", close)
      document.removeEventListener("pointerup", onPointer)
    }
  }, [])
  const whole = time?.dataset["whole"]
  if (time === null || whole === undefined || !time.isConnected) return null
  return (
    <Word key={whole} id={id} control={time} side="top" onStay={() => {}} onLeave={close} onEscape={close}>
      {whole}
    </Word>
  )
}
