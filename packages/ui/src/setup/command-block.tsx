/** A command to paste: whole, wrapped, with a copy button. */
import { CopyButton } from "../components/copy-button.tsx"
import { actText } from "../text/acts.ts"
import styles from "./command-block.module.css"

export interface CommandBlockProps {
  /** A name for screen readers. */
  readonly label: string
  readonly command: string
  readonly copyText: string
  /** The primary action of its view. */
  readonly primary?: boolean
}

export const CommandBlock = ({ command, copyText, label, primary = false }: CommandBlockProps) => {
  const { copying } = actText
  return (
    <div className="grid justify-items-start gap-8 min-w-0 w-full">
      <pre className={styles.command} role="group" aria-label={label}><code>{command}</code></pre>
      <CopyButton
        value={command}
        texts={{ ...copying, copy: copyText }}
        variant={primary ? "primary" : "quiet"}
        size="standard"
      />
    </div>
  )
}
