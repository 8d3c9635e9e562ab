/**
 * A tooltip on hover or focus, with the shortcut of the control. Never the only place of a fact. It uses the popover
 * attribute for the top layer: every first screen needs it, and a positioning library would add 30 kB.
 */
import {
  cloneElement,
  type FocusEvent,
  type HTMLAttributes,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState
} from "react"
import { Kbd } from "./kbd.tsx"
import { type Side, tooltipPlace } from "./tooltip-place.ts"
import styles from "./tooltip.module.css"

export interface TooltipProps {
  readonly text: ReactNode
  readonly keys?: ReadonlyArray<string> | undefined
  readonly side?: Side | undefined
  /** The control: one element that accepts props and a ref. */
  readonly children: ReactElement
}

const delayMillis = 500
/** A tooltip that follows another within this time opens at once. */
const followMillis = 300
/** Time for the pointer to move from the control to the tooltip. */
const leaveMillis = 100

let closedAt = Number.NEGATIVE_INFINITY

/** Render it once around the app. Tooltips need no context yet; a shared delay would be set here. */
export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => children

type Control = HTMLAttributes<HTMLElement> & { readonly ref?: Ref<HTMLElement> | undefined }

function both<E>(first: ((event: E) => void) | undefined, second: (event: E) => void) {
  return (event: E): void => {
    first?.(event)
    second(event)
  }
}

export const Tooltip = ({ text, keys, side = "bottom", children }: TooltipProps) => {
  const id = useId()
  const own = (children as ReactElement<Control>).props
  const [control, setControl] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** Before the tooltip is drawn, too: the focus may leave the control meanwhile. */
  const hasOpened = useRef(false)

  const open = (millis: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      // Its tooltip would cover an open menu.
      if (control?.matches("[aria-haspopup][aria-expanded=true]") === true) return
      hasOpened.current = true
      setOpen(true)
    }, millis)
  }
  const close = (millis: number) => {
    clearTimeout(timer.current)
    if (!hasOpened.current) return
    timer.current = setTimeout(() => {
      hasOpened.current = false
      closedAt = performance.now()
      setOpen(false)
    }, millis)
  }
  useEffect(() => () => clearTimeout(timer.current), [])

  const ref = useRef<Ref<HTMLElement> | undefined>(own.ref)
  ref.current = own.ref
  const [attach] = useState(() => (element: HTMLElement | null) => {
    setControl(element)
    const given = ref.current
    if (typeof given === "function") given(element)
    else if (given !== null && given !== undefined) given.current = element
  })

  return (
    <>
      {cloneElement(children as ReactElement<Control>, {
        ref: attach,
        "aria-describedby": isOpen ? [own["aria-describedby"], id].filter(Boolean).join(" ") : own["aria-describedby"],
        onPointerEnter: both(own.onPointerEnter, (event: PointerEvent<HTMLElement>) => {
          if (event.pointerType !== "touch") open(performance.now() - closedAt < followMillis ? 0 : delayMillis)
        }),
        onPointerLeave: both(own.onPointerLeave, () => close(leaveMillis)),
        onPointerDown: both(own.onPointerDown, () => close(0)),
        onFocus: both(own.onFocus, (event: FocusEvent<HTMLElement>) => {
          if (event.currentTarget.matches(":focus-visible")) open(0)
        }),
        onBlur: both(own.onBlur, () => close(0))
      })}
      {isOpen && control !== null && (
        <Word
          id={id}
          control={control}
          side={side}
          onStay={() => clearTimeout(timer.current)}
          onLeave={() => close(leaveMillis)}
          onEscape={() => close(0)}
        >
          {text}
          {keys !== undefined && <Kbd keys={keys} tone="inherit" />}
        </Word>
      )}
    </>
  )
}

export interface WordProps {
  readonly id: string
  readonly control: HTMLElement
  readonly side: Side
  readonly onStay: () => void
  readonly onLeave: () => void
  readonly onEscape: () => void
  readonly children: ReactNode
}

/** The open tooltip beside its control. */
export const Word = ({ id, control, side, onStay, onLeave, onEscape, children }: WordProps) => {
  const word = useRef<HTMLSpanElement>(null)
  const escape = useRef(onEscape)
  useLayoutEffect(() => {
    escape.current = onEscape
  })
  useLayoutEffect(() => {
    const element = word.current
    if (element === null) return
    element.showPopover()
    const { left, top } = tooltipPlace(
      control.getBoundingClientRect(),
      element.getBoundingClientRect(),
      { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight },
      side
    )
    element.style.left = `${left}px`
    element.style.top = `${top}px`
    // Escape still reaches the dialog or the screen, since the event is not stopped. Scrolling closes the tooltip.
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && escape.current()
    const onScroll = () => escape.current()
    window.addEventListener("keydown", onKey, true)
    window.addEventListener("scroll", onScroll, true)
    return () => {
      window.removeEventListener("keydown", onKey, true)
      window.removeEventListener("scroll", onScroll, true)
    }
  }, [control, side])
  return (
    <span
      ref={word}
      id={id}
      role="tooltip"
      popover="manual"
      className={styles.popup}
      onPointerEnter={onStay}
      onPointerLeave={onLeave}
    >
      {children}
    </span>
  )
}
