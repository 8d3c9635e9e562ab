/**
 * The frame of an open agent request or budget request: the scrolling body, and at the lower edge the comment and two
 * buttons. Keys act as on approvals: after half a second, and Enter or Space on the first button do not send.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { useIsHeld, useKey, useKeyCaps } from "../app/keys.ts"
import { Problem } from "../app/problem.tsx"
import { Button } from "../components/button.tsx"
import { classNames } from "../components/class-names.ts"
import { TextField } from "../components/text-field.tsx"
import { useConnection, useMayAct } from "../live/connection.ts"
import { approvalText } from "../text/approvals.ts"
import { inboxRequestText } from "../text/inbox-requests.ts"
import foot from "./approval-foot.module.css"
import { ApproveButton, confirmCaps, isConfirming, usePresses } from "./approve-button.tsx"
import { requestCommentMax } from "./limits-of-contract.ts"
import type { RequestDecision } from "./request-decision.ts"
import styles from "./request-detail.module.css"
import { requestType } from "./request-rows.ts"
import { useKeyGuard } from "./use-key-guard.ts"

export interface RequestFrameProps {
  readonly id: string
  readonly label: string
  readonly head: ReactNode
  readonly children: ReactNode
  /** The facts that matter to a decision. When they change without user action, shortcuts are disabled for a moment. */
  readonly state: string
  /** Other content that changes beside it, such as the number of new rows. */
  readonly beside: string
  readonly isOpen: boolean
  /** Why the person cannot decide; undefined if they can. */
  readonly obstacle: string | undefined
  /** The input that the first button still needs; undefined if it needs none. */
  readonly missing: string | undefined
  /** Moves the focus to the missing field. */
  readonly onMissing: () => void
  readonly first: {
    readonly text: string
    readonly again: string
    /** For the second confirmation of large amounts. */
    readonly cents: number
    readonly againHint?: string | undefined
    readonly send: (comment: string, byKey: boolean) => void
    readonly failed: string
  }
  readonly second: {
    readonly text: string
    readonly send: (comment: string, byKey: boolean) => void
    readonly failed: string
  }
  readonly unchanged: string
  readonly decision: RequestDecision
  /** Shown to a person whose decision came second. */
  readonly late: string | undefined
  /** Shown in place of the buttons once it has ended. */
  readonly outcome: ReactNode
  /** Announced once it has ended while it was on screen. */
  readonly spoken: string
}

export const RequestFrame = (props: RequestFrameProps) => {
  const { beside, children, decision, first, head, id, isOpen, label, late, missing, obstacle, onMissing } = props
  const { outcome, second, spoken, state, unchanged } = props
  const t = inboxRequestText.foot
  const mayAct = useMayAct()
  const { phase } = useConnection()
  const [comment, setComment] = useState("")
  const [isEnding, setEnding] = useState(false)
  const [typing, setTyping] = useState(false)
  const [hint, setHint] = useState<string>()
  const commentField = useRef<HTMLInputElement>(null)
  const hintId = useId()
  const guard = useKeyGuard(id, `${state} ${isOpen} ${phase} ${beside}`)
  const approveCaps = useKeyCaps("decide.approve")
  const rejectCaps = useKeyCaps("decide.reject")
  const isHeld = useIsHeld("decide.approve")
  const words = approvalText.foot
  const may = isOpen && mayAct && obstacle === undefined && !decision.isAsking
  const presses = usePresses(
    `${id} ${state}`,
    first.cents,
    (byKey) => first.send(comment.trim(), byKey)
  )
  const isAsking = (which: "first" | "second") => decision.isAsking && decision.verdict?.button === which

  const press = (byKey: boolean) => {
    if (missing !== undefined) {
      setHint(missing)
      return onMissing()
    }
    setHint(undefined)
    presses.press(byKey)
  }
  const guarded = (act: () => void) => () => {
    if (!guard.mayAct()) return setHint(words.notYet)
    setHint(undefined)
    act()
  }
  const beginSecond = () => {
    setEnding(true)
    commentField.current?.focus()
  }
  const sendSecond = (byKey: boolean) => {
    setEnding(false)
    second.send(comment.trim(), byKey)
  }
  useEffect(() => {
    if (guard.isLive) setHint((current) => current === words.notYet ? undefined : current)
  }, [guard.isLive, words.notYet])
  useEffect(() => {
    if (missing === undefined) setHint(undefined)
  }, [missing])

  useKey("decide.approve", guarded(() => press(true)), {
    when: may,
    hold: {
      begin: () => {
        if (!guard.mayAct()) {
          setHint(words.notYet)
          return false
        }
        if (missing === undefined) return true
        press(true)
        return false
      },
      onShort: () => setHint(words.holdKey((approveCaps ?? []).join(" ")))
    }
  })
  useKey("decide.reject", guarded(beginSecond), { when: may })
  useCommands(may ? [{ id: "request.end", text: second.text, run: beginSecond, key: "decide.reject" as const }] : [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isConfirming(event) || event.repeat || event.defaultPrevented || !may) return
    event.preventDefault()
    press(true)
  }
  const [first0] = useState(spoken)
  const shownHint = !isOpen
    ? undefined
    : hint ?? (presses.isAgain ? first.againHint : undefined) ?? obstacle ?? (mayAct ? undefined : t.offline)
  const isAnswered = late !== undefined || decision.error?.code === "step_up_required"

  return (
    <article className={styles.detail} aria-label={label} data-request={requestType(id)} onKeyDown={onKeyDown}>
      <div className={styles.body} data-scroll-restoration-id={id}>
        {head}
        {children}
      </div>
      <footer className={foot.foot} aria-label={t.label}>
        {isOpen
          ? (
            <form
              className={styles.deciding}
              data-typing={typing || undefined}
              onSubmit={(event) => {
                event.preventDefault()
                // Enter in the comment only confirms what a shortcut started.
                if (isEnding && may) sendSecond(true)
              }}
            >
              <TextField
                ref={commentField}
                className={foot.comment}
                label={t.comment}
                labelHidden
                placeholder={isEnding ? t.whyHint : t.commentHint}
                maxLength={requestCommentMax}
                value={comment}
                disabled={obstacle !== undefined}
                onChange={setComment}
                onKeyDown={(event) => {
                  if (event.key !== "Escape") return
                  event.stopPropagation()
                  setEnding(false)
                  commentField.current?.blur()
                }}
                onFocus={() => setTyping(true)}
                onBlur={() => {
                  setTyping(false)
                  setEnding(false)
                }}
              />
              <div className={classNames(foot.buttons, styles.buttons)}>
                <Button
                  variant="danger"
                  keys={rejectCaps}
                  className={foot.reject}
                  data-keys={guard.isLive ? undefined : "rest"}
                  data-armed={isEnding || undefined}
                  pending={isAsking("second")}
                  pendingText={t.sending}
                  disabled={!may && !isAsking("second")}
                  aria-describedby={hintId}
                  onPointerDown={(event) => event.preventDefault()}
                  // A click with detail 0 has no pointer: it is Enter or Space on the button.
                  onClick={({ detail }) => sendSecond(detail === 0)}
                >
                  {second.text}
                </Button>
                <ApproveButton
                  text={first.text}
                  againText={first.again}
                  isAgain={presses.isAgain}
                  keys={approveCaps}
                  keysLive={guard.isLive}
                  isHeld={isHeld}
                  pending={isAsking("first")}
                  disabled={!may && !isAsking("first")}
                  describedBy={hintId}
                  onPress={press}
                  onBareKey={() => setHint(words.bareEnter(confirmCaps.join(" ")))}
                />
              </div>
              <p id={hintId} className={foot.way} role="status">{shownHint}</p>
              {decision.error !== null && !isAnswered && !decision.isAsking && (
                <div className={foot.problem}>
                  <Problem
                    inline
                    error={decision.error}
                    failed={(decision.verdict?.button === "second" ? second : first).failed}
                    unchanged={unchanged}
                  />
                </div>
              )}
            </form>
          )
          : <div className={foot.decided}>{outcome}</div>}
        {late !== undefined && <p className={foot.late} role="alert">{late}</p>}
      </footer>
      <p className="sr-only" aria-live="assertive">{spoken === first0 ? "" : spoken}</p>
    </article>
  )
}
