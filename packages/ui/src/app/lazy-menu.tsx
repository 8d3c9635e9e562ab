/**
 * A button whose menu or popover comes when it is first wanted: they are a tenth of what a first screen may weigh. Pointing at it or
 * focusing it loads what it opens, a press opens it.
 */
import { type ComponentType, lazy, type ReactElement, Suspense, useMemo, useState, cloneElement } from "react"

export interface OpenMenuProps {
  readonly trigger: ReactElement
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export interface LazyMenuProps {
  readonly trigger: ReactElement<{
    readonly onClick?: () => void
    readonly onPointerEnter?: () => void
    readonly onFocus?: () => void
    readonly "aria-haspopup"?: "menu" | "dialog"
  }>
  /** `dialog`: a popover. */
  readonly opens?: "menu" | "dialog"
  /** Outside of the component: the same function at each drawing. */
  readonly load: () => Promise<{ readonly default: ComponentType<OpenMenuProps> }>
}

export const LazyMenu = ({ load, opens = "menu", trigger }: LazyMenuProps) => {
  const [isOpen, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const OpenMenu = useMemo(() => lazy(load), [load])
  const closed = cloneElement(trigger, {
    "aria-haspopup": opens,
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => {
      setWanted(true)
      setOpen(true)
    }
  })
  return wanted
    ? <Suspense fallback={closed}><OpenMenu trigger={trigger} open={isOpen} onOpenChange={setOpen} /></Suspense>
    : closed
}
