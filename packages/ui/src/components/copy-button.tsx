/** Copies a value; its width never changes by what it says. */
import { Check, Copy } from "lucide-react"
import { Button } from "./button.tsx"
import styles from "./copy-button.module.css"
import { useCopying } from "./copying.ts"
import { IconButton } from "./icon-button.tsx"

export interface CopyTexts {
  readonly copy: string
  readonly copied: string
  /** The browser did not let it. */
  readonly refused: string
}

export interface CopyButtonProps {
  readonly value: string
  readonly texts: CopyTexts
  /** Only the picture; the words are its name and tooltip. */
  readonly iconOnly?: boolean | undefined
  readonly size?: "standard" | "small" | undefined
  readonly variant?: "primary" | "quiet" | "bare" | undefined
}

export const CopyButton = ({ value, texts, iconOnly = false, size = "small", variant = "quiet" }: CopyButtonProps) => {
  const [state, copy] = useCopying(value)
  const said = state === "idle" ? texts.copy : state === "copied" ? texts.copied : texts.refused
  const icon = state === "copied" ? <Check /> : <Copy />
  return (
    <>
      {iconOnly
        ? <IconButton label={said} icon={icon} onClick={copy} />
        : (
          <Button size={size} variant={variant} icon={icon} onClick={copy}>
            <span className={styles.words}>
              {(state === "refused" ? [texts.refused] : [texts.copy, texts.copied]).map((text) => (
                <span key={text} aria-hidden={text !== said || undefined} data-away={text !== said || undefined}>
                  {text}
                </span>
              ))}
            </span>
          </Button>
        )}
      <span role="status" className={styles.spoken}>{state === "idle" ? "" : said}</span>
    </>
  )
}
