/** Read-only JSON text with a copy button. */
import { CopyButton } from "../components/copy-button.tsx"
import { catalogText } from "../text/catalog.ts"
import styles from "./json-block.module.css"

interface JsonBlockProps {
  readonly value: unknown
  readonly label: string
  /** `group`: one of several with this label, which are no landmarks. */
  readonly role?: "region" | "group"
}

export const JsonBlock = ({ label, role = "region", value }: JsonBlockProps) => {
  const t = catalogText.detail
  const text = JSON.stringify(value, null, 2) ?? ""
  return (
    <div className="relative">
      <pre
        className={`p-12 border rounded-control bg-sunken type-mono ${styles.text}`}
        tabIndex={0}
        role={role}
        aria-label={label}
      >{text}</pre>
      <div className={styles.copy}>
        <CopyButton value={text} texts={t.copyJson} iconOnly />
      </div>
    </div>
  )
}
