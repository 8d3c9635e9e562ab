/**
 * Approve, with its amount. Enter and Space on the button do not approve: people press them for other reasons. Its
 * shortcut approves when held, and so do Ctrl or Cmd with Enter and a click. Above the person's own limit a second
 * confirmation is required.
 */
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useState } from "react"
import { holdMillis } from "../app/keys.ts"
import { isApple } from "../app/platform-keys.ts"
import { Button } from "../components/button.tsx"
import { classNames } from "../components/class-names.ts"
import { approvalText } from "../text/approvals.ts"
import styles from "./approve-button.module.css"
import { useSecondConfirmationLimit } from "./second-confirmation.ts"

/** The first confirmation expires after this pause. */
const againMillis = 6_000

/** Enter with Ctrl (Cmd on Apple) approves from anywhere in the detail. */
export const isConfirming = (event: KeyboardEvent): boolean =>
  event.key === "Enter" && (isApple ? event.metaKey : event.ctrlKey)
export const confirmCaps: ReadonlyArray<string> = [isApple ? "⌘" : "Ctrl", "⏎"]

export interface Presses {
  /** The next confirmation sends. */
  readonly isAgain: boolean
  /** A click or shortcut: the first of two confirmations, or the one that sends. */
  readonly press: (byKey?: boolean) => void
  readonly forget: () => void
}

/** `what`: a different id or state resets the first confirmation. */
export const usePresses = (what: string, cents: number, send: (byKey: boolean) => void): Presses => {
  const limit = useSecondConfirmationLimit()
  const [pressed, setPressed] = useState<string>()
  const isAgain = pressed === what
  useEffect(() => {
    if (!isAgain) return
    const timer = setTimeout(() => setPressed(undefined), againMillis)
    return () => clearTimeout(timer)
  }, [isAgain])
  return {
    isAgain,
    press: (byKey = false) => {
      if (limit !== undefined && cents > limit && !isAgain) return setPressed(what)
      setPressed(undefined)
      send(byKey)
    },
    forget: () => setPressed(undefined)
  }
}

export interface ApproveButtonProps {
  readonly text: ReactNode
  readonly againText: ReactNode
  readonly isAgain: boolean
  readonly onPress: (byKey: boolean) => void
  /** Called for Enter or Space without a modifier, to explain the shortcut. */
  readonly onBareKey?: (() => void) | undefined
  readonly keys?: ReadonlyArray<string> | undefined
  /** Whether the shortcuts act now. Their caps keep their space while they do not. */
  readonly keysLive?: boolean | undefined
  /** The shortcut is held: a line fills until it acts. */
  readonly isHeld?: boolean | undefined
  readonly pending: boolean
  readonly disabled?: boolean | undefined
  readonly describedBy?: string | undefined
}

export const ApproveButton = (
  {
    againText,
    describedBy,
    disabled,
    isAgain,
    isHeld = false,
    keys,
    keysLive = true,
    onBareKey,
    onPress,
    pending,
    text
  }: ApproveButtonProps
) => {
  const t = approvalText.foot
  return (
    <Button
      variant="primary"
      className={classNames(styles.approve, isAgain && styles.again)}
      keys={keys}
      data-keys={keysLive ? undefined : "rest"}
      data-held={isHeld || undefined}
      style={{ "--hold": `${holdMillis}ms` } as CSSProperties}
      pending={pending}
      pendingText={t.askingHub}
      disabled={disabled}
      aria-describedby={describedBy}
      onClick={() => onPress(false)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return
        event.preventDefault()
        if (event.repeat || pending || disabled) return
        if (isConfirming(event)) onPress(true)
        else onBareKey?.()
        event.stopPropagation()
      }}
      onKeyUp={(event) => event.key === " " && event.preventDefault()}
    >
      <span className={`grid justify-items-center ${styles.texts}`}>
        <span data-away={isAgain || undefined}>{text}</span>
        <span data-away={!isAgain || undefined} aria-hidden={!isAgain || undefined}>{againText}</span>
      </span>
    </Button>
  )
}
