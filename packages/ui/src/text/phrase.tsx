/** A sentence with nodes in it: `{agent}` in the text is the prop `agent`. */
import { Fragment, type ReactNode } from "react"

export interface PhraseProps {
  readonly text: string
  readonly [place: string]: ReactNode
}

export const Phrase = ({ text, ...nodes }: PhraseProps): ReactNode =>
  text.split(/\{(\w+)\}/u).map((part, at) => <Fragment key={at}>{at % 2 === 1 ? nodes[part] : part}</Fragment>)
