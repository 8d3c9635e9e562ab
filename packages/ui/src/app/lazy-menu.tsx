/**
 * A button that loads its menu or popover on demand, since menus are a tenth of the size limit of a first screen. Hover
 * and focus load the menu, a click opens it.
 */
import { cloneElement, type ComponentType, type ReactElement, Suspense, useMemo, useState } from "react"
import { lazyPart } from "../components/lazy-part.ts"
import { PendingOverlay } from "./pending-overlay.ts"

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
  /** `dialog` for a popover. */
  readonly opens?: "menu" | "dialog"
  /** Define it outside the component: the function must be the same at each render. */
  readonly load: () => Promise<{ readonly default: ComponentType<OpenMenuProps> }>
}

/** A preload on hover; its errors are reported when the menu opens. */
const early = (load: LazyMenuProps["load"]): void => void load().catch(() => {})

export const LazyMenu = ({ load, opens = "menu", trigger }: LazyMenuProps) => {
  const [isOpen, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const OpenMenu = useMemo(() => lazyPart(load), [load])
  const closed = cloneElement(trigger, {
    "aria-haspopup": opens,
    onPointerEnter: () => early(load),
    onFocus: () => early(load),
    onClick: () => {
      setWanted(true)
      setOpen(true)
    }
  })
  return wanted
    ? (
      <Suspense
        fallback={
          <>
            {closed}
            <PendingOverlay onCancel={() => setOpen(false)} />
          </>
        }
      >
        <OpenMenu trigger={trigger} open={isOpen} onOpenChange={setOpen} />
      </Suspense>
    )
    : closed
}
