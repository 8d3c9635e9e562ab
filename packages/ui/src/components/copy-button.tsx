/** Copies a value; its width is the same for every label. */
import { Check, Copy } from "lucide-react"
import { Button } from "./button.tsx"
import styles from "./copy-button.module.css"
import { useCopying } from "./copying.ts"
import { IconButton } from "./icon-button.tsx"

export interface CopyTexts {
  readonly copy: string
  readonly copied: string
  /** The browser refused to copy. */
  readonly refused: string
}

export interface CopyButtonProps {
  readonly value: string
  readonly texts: CopyTexts
  /** Shows the icon only; the text is its name and tooltip. */
  readonly iconOnly?: boolean | undefined
  readonly size?: "standard" | "small" | undefined
  readonly variant?: "primary" | "quiet" | "bare" | undefined
}

export const CopyButton = ({ value, texts, iconOnly = false, size = "small", variant = "quiet" }: CopyButtonProps) => {
  const [state, copy] = useCopying(value)
  const stateText = state === "idle" ? texts.copy : state === "copied" ? texts.copied : texts.refused
  const icon = state === "copied" ? <Check /> : <Copy />
  return (
    <>
      {iconOnly
        ? <IconButton label={stateText} icon={icon} onClick={copy} />
        : (
          <Button size={size} variant={variant} icon={icon} onClick={copy}>
            <span className={styles.words}>
              {(state === "refused" ? [texts.refused] : [texts.copy, texts.copied]).map((text) => (
                <span
                  key={text}
                  aria-hidden={text !== stateText || undefined}
                  data-away={text !== stateText || undefined}
                >
                  {text}
                </span>
              ))}
            </span>
          </Button>
        )}
      <span role="status" className="sr-only">{state === "idle" ? "" : stateText}</span>
    </>
  )
}
