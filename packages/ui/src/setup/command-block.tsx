/** A command as it is pasted: whole, wrapped, with its copy button in reach. */
import { CopyButton } from "../components/copy-button.tsx"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./command-block.module.css"

export interface CommandBlockProps {
  /** What it is, for those who hear it. */
  readonly label: string
  readonly command: string
  readonly copyText: string
  /** The one act of its view. */
  readonly primary?: boolean
}

export const CommandBlock = ({ command, copyText, label, primary = false }: CommandBlockProps) => {
  const { copying } = useText(actText)
  return (
    <div className={styles.block}>
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
