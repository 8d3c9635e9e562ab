/**
 * A button whose menu or popover comes when it is first wanted: they are a tenth of what a first screen may weigh. Pointing at it or
 * focusing it loads what it opens, a press opens it.
 */
import { cloneElement, type ComponentType, type ReactElement, Suspense, useMemo, useState } from "react"
import { forgetFailedStyles, lazyPart } from "../components/lazy-part.ts"
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
  /** `dialog`: a popover. */
  readonly opens?: "menu" | "dialog"
  /** Outside of the component: the same function at each drawing. */
  readonly load: () => Promise<{ readonly default: ComponentType<OpenMenuProps> }>
}

/** A try ahead of the press: what comes of it is seen then. */
const early = (load: LazyMenuProps["load"]): void => void load().catch(forgetFailedStyles)

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
