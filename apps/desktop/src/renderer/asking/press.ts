/**
 * A press of a button that is meant: begun on this very button, while it shows what it shows now. A key that is held repeats by itself, and
 * one that was pressed for another window or another question is none. Spec: D11.
 */
import { type ComponentProps, useEffect, useRef } from "react"

type Handlers = Pick<ComponentProps<"button">, "onClick" | "onKeyDown" | "onPointerDown" | "onMouseDown" | "onBlur">

/** `live`: whether it can be pressed; a press that began before it could is none. */
export const useMeantPress = (act: () => void, live = true): Handlers => {
  const begun = useRef(false)
  useEffect(() => {
    begun.current = false
  }, [live])
  const begin = () => {
    begun.current = true
  }
  return {
    onPointerDown: begin,
    // Assistive tools press so.
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
      const isMeant = begun.current && event.nativeEvent.isTrusted
      begun.current = false
      if (isMeant) act()
    }
  }
}
