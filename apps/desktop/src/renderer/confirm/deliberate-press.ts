/**
 * A deliberate press of a button: it must begin on this button while it shows its present content. A held key repeats
 * by itself, and a press that began in another window or on another question does not count. Spec: reference/devices.md
 * "D11: the owner's window".
 */
import { type ComponentProps, useEffect, useRef } from "react"

type Handlers = Pick<ComponentProps<"button">, "onClick" | "onKeyDown" | "onPointerDown" | "onMouseDown" | "onBlur">

/** `live`: whether the button is enabled; a press that began before does not count. */
export const useDeliberatePress = (act: () => void, live = true): Handlers => {
  const begun = useRef(false)
  useEffect(() => {
    begun.current = false
  }, [live])
  const begin = () => {
    begun.current = true
  }
  return {
    onPointerDown: begin,
    // Assistive tools send only mouse events.
    onMouseDown: begin,
    onKeyDown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return
      if (event.repeat) event.preventDefault()
      else begin()
    },
    onBlur: () => {
      begun.current = false
    },
    onClick: (event) => {
      const isDeliberate = begun.current && event.nativeEvent.isTrusted
      begun.current = false
      if (isDeliberate) act()
    }
  }
}
