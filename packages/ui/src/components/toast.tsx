/**
 * Confirms a completed action for 5 s. It never requires a decision or shows an error, and it stays while hovered or
 * focused.
 */
import { X } from "lucide-react"
import { useEffect, useRef } from "react"
import { Button } from "./button.tsx"
import { IconButton } from "./icon-button.tsx"
import { sharedValue, useSharedValue } from "./shared-value.ts"
import styles from "./toast.module.css"

export interface ToastMessage {
  readonly text: string
  /** Undo, or a link to the new object. */
  readonly action?: { readonly text: string; readonly onPress: () => void } | undefined
}

interface Shown extends ToastMessage {
  readonly id: number
}

const shownMax = 3
const lasts_ms = 5000

const shown = sharedValue<ReadonlyArray<Shown>>([])
let nextId = 1
const dismiss = (id: number) => shown.set(shown.get().filter((one) => one.id !== id))

export const showToast = (message: ToastMessage): void =>
  shown.set([...shown.get(), { ...message, id: nextId++ }].slice(-shownMax))

const Toast = ({ toast, dismissText }: { readonly toast: Shown; readonly dismissText: string }) => {
  const held = useRef(false)
  useEffect(() => {
    const timer = setInterval(() => !held.current && dismiss(toast.id), lasts_ms)
    return () => clearInterval(timer)
  }, [toast.id])
  const hold = (on: boolean) => () => void (held.current = on)
  return (
    <li
      className={styles.toast}
      onPointerEnter={hold(true)}
      onPointerLeave={hold(false)}
      onFocus={hold(true)}
      onBlur={hold(false)}
    >
      <span className="min-w-0 wrap-anywhere">{toast.text}</span>
      {toast.action !== undefined && (
        <Button
          size="small"
          variant="bare"
          onClick={() => {
            toast.action?.onPress()
            dismiss(toast.id)
          }}
        >
          {toast.action.text}
        </Button>
      )}
      <IconButton label={dismissText} icon={<X />} onClick={() => dismiss(toast.id)} />
    </li>
  )
}

/** Render it once in the app. */
export const ToastRegion = ({ label, dismissText }: { readonly label: string; readonly dismissText: string }) => {
  const toasts = useSharedValue(shown)
  return (
    <section aria-label={label} aria-live="polite" className={styles.region}>
      <ul className="grid justify-items-center gap-8 px-16">
        {toasts.map((toast) => <Toast key={toast.id} toast={toast} dismissText={dismissText} />)}
      </ul>
    </section>
  )
}
