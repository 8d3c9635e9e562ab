/** Shows the pending question, or the device settings. Unsaved input there remains while a question is shown. */
import { useEffect, useLayoutEffect, useRef, useState } from "react"
import type { OwnerBridge, OwnerState } from "../../bridge/owner.ts"
import { Desk } from "./desk.tsx"
import { Question } from "./question.tsx"
import { ownerText as t } from "./text.ts"

export interface OwnerAppProps {
  readonly bridge: OwnerBridge
  readonly first: OwnerState
}

const useOwnerState = ({ bridge, first }: OwnerAppProps): OwnerState => {
  const [state, setState] = useState(first)
  useEffect(() => {
    const take = (next: OwnerState) => setState((shown) => next.seq > shown.seq ? next : shown)
    const ask = () =>
      void bridge.state().then((answer) => {
        if (answer.ok) take(answer.value)
      }, () => {})
    const off = bridge.onState(take)
    ask()
    // Files may have been edited by hand.
    window.addEventListener("focus", ask)
    return () => {
      off()
      window.removeEventListener("focus", ask)
    }
  }, [bridge])
  return state
}

export const OwnerApp = (props: OwnerAppProps) => {
  const { bridge } = props
  const state = useOwnerState(props)
  const { question } = state
  const isAsked = question !== null
  const last = useRef<Element>(null)
  // Saves the focus before the question takes it, and restores it afterwards.
  useLayoutEffect(() => {
    if (isAsked) last.current = document.activeElement
    else if (last.current instanceof HTMLElement) last.current.focus()
  }, [isAsked])
  useEffect(() => {
    document.title = isAsked ? t.questionTitle : t.documentTitle
  }, [isAsked, t])
  return (
    <>
      {isAsked && <Question key={question.question} bridge={bridge} question={question} />}
      <div hidden={isAsked}>
        <Desk bridge={bridge} state={state} />
      </div>
    </>
  )
}
