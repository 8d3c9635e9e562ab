/**
 * Approve, with its sum. Enter and Space on it approve nothing: a person who meant another thing presses those. Its key does, or
 * Ctrl or Cmd with Enter, or a pointer. Above the person's own limit it wants a second press.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react"
import { isApple } from "../app/platform-keys.ts"
import { Button } from "../components/button.tsx"
import { classNames } from "../components/class-names.ts"
import { approvalText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./approve-button.module.css"
import { useSecondPressLimit } from "./second-press.ts"

/** A first press is forgotten after this rest. */
const againMillis = 6_000

/** With which Enter approves where the focus is. */
export const isConfirming = (event: KeyboardEvent): boolean => event.key === "Enter" && (isApple ? event.metaKey : event.ctrlKey)
export const confirmCaps: ReadonlyArray<string> = [isApple ? "⌘" : "Ctrl", "⏎"]

export interface Presses {
  /** The next press sends. */
  readonly isAgain: boolean
  /** A press by pointer or key: the first of two, or the one that sends. */
  readonly press: () => void
  readonly forget: () => void
}

/** `what`: another id or state forgets a first press. */
export const usePresses = (what: string, cents: number, send: () => void): Presses => {
  const limit = useSecondPressLimit()
  const [pressed, setPressed] = useState<string>()
  const isAgain = pressed === what
  useEffect(() => {
    if (!isAgain) return
    const timer = setTimeout(() => setPressed(undefined), againMillis)
    return () => clearTimeout(timer)
  }, [isAgain])
  return {
    isAgain,
    press: () => {
      if (limit !== undefined && cents > limit && !isAgain) return setPressed(what)
      setPressed(undefined)
      send()
    },
    forget: () => setPressed(undefined)
  }
}

export interface ApproveButtonProps {
  readonly text: ReactNode
  readonly againText: ReactNode
  readonly isAgain: boolean
  readonly onPress: () => void
  /** Enter or Space alone: say what does it. */
  readonly onBareKey?: (() => void) | undefined
  readonly keys?: ReadonlyArray<string> | undefined
  /** The keys act now. Their caps keep their room while they do not. */
  readonly keysLive?: boolean | undefined
  readonly pending: boolean
  readonly disabled?: boolean | undefined
  readonly describedBy?: string | undefined
}

export const ApproveButton = (
  { againText, describedBy, disabled, isAgain, keys, keysLive = true, onBareKey, onPress, pending, text }: ApproveButtonProps
) => {
  const t = useText(approvalText).foot
  return (
    <Button
      variant="primary"
      className={classNames(styles.approve, isAgain && styles.again)}
      keys={keys}
      data-keys={keysLive ? undefined : "rest"}
      pending={pending}
      pendingText={t.askingHub}
      disabled={disabled}
      aria-describedby={describedBy}
      onClick={onPress}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return
        event.preventDefault()
        if (event.repeat || pending || disabled) return
        if (isConfirming(event)) onPress()
        else onBareKey?.()
        event.stopPropagation()
      }}
      onKeyUp={(event) => event.key === " " && event.preventDefault()}
    >
      <span className={styles.texts}>
        <span data-away={isAgain || undefined}>{text}</span>
        <span data-away={!isAgain || undefined} aria-hidden={!isAgain || undefined}>{againText}</span>
      </span>
    </Button>
  )
}
