/**
 * Text from agents, providers, and hubs: data, never markup. Hidden characters are shown in a box with their code
 * point.
 */
import { type HiddenReason, revealedParts } from "@countersign/domain/hidden-characters"
import { useMemo } from "react"
import styles from "./revealed-text.module.css"

export interface RevealTexts {
  /** The reason for a box: "reorders the text", "looks like a". */
  readonly reason: (reason: HiddenReason, like: string | undefined) => string
}

export interface RevealedTextProps {
  readonly text: string
  readonly texts: RevealTexts
  /** One line, truncated at its end; otherwise the original lines, wrapped. */
  readonly line?: boolean | undefined
}

export const RevealedText = ({ text, texts, line = false }: RevealedTextProps) => {
  const parts = useMemo(() => revealedParts(text), [text])
  return (
    <bdi className={line ? "whitespace-nowrap" : styles.lines}>
      {parts.map((part, at) =>
        part.kind === "plain"
          ? part.text
          : (
            <span
              key={at}
              className={styles.box}
              data-reason={part.reason}
              title={texts.reason(part.reason, part.like)}
            >
              {part.reason === "lookalike" && <span className={styles.letter}>{part.text}</span>}
              {part.codePoint}
            </span>
          )
      )}
    </bdi>
  )
}
