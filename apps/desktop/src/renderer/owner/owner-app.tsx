/** A question, when one waits; else what this computer lends. What was begun there stays while it is asked. */
import { useText } from "@countersign/ui/text/catalogue"
import { useEffect, useLayoutEffect, useRef, useState } from "react"
import type { OwnerBridge, OwnerState } from "../../bridge/owner.ts"
import { Desk } from "./desk.tsx"
import { Question } from "./question.tsx"
import { ownerText } from "./text.ts"

export interface OwnerAppProps {
  readonly bridge: OwnerBridge
  readonly first: OwnerState
}

const useOwnerState = ({ bridge, first }: OwnerAppProps): OwnerState => {
  const [state, setState] = useState(first)
  useEffect(() => {
    const take = (next: OwnerState) => setState((shown) => next.seq > shown.seq ? next : shown)
    const ask = () =>
      void bridge.state().then((said) => {
        if (said.ok) take(said.value)
      }, () => {})
    const off = bridge.onState(take)
    ask()
    // Files may have been changed by hand meanwhile.
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
  const t = useText(ownerText)
  const state = useOwnerState(props)
  const { question } = state
  const isAsked = question !== null
  const last = useRef<Element>(null)
  // Before the question takes the focus, and after it is gone: whoever typed here goes on where they were.
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
