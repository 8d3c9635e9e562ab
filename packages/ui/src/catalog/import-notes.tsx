/** The parts of a document that the import leaves out, and why. */
import type { Output } from "@countersign/hub-client/contract"
import { catalogText } from "../text/catalog.ts"
import styles from "./import-screen.module.css"

export const ImportNotes = ({ preview }: { readonly preview: Output<"services.previewImport"> }) => {
  const t = catalogText.import
  const { skipped, warnings } = preview
  return (
    <>
      {skipped.length > 0 && (
        <details className={styles.skipped}>
          <summary>{t.skipped(skipped.length)}</summary>
          <ul>
            {skipped.map(({ operation, reason }) => (
              <li key={operation + reason}>
                <code className="type-mono text-2 wrap-anywhere">{operation}</code> {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
      {warnings.length > 0 && (
        <details className={styles.skipped}>
          <summary>{t.warnings(warnings.length)}</summary>
          <ul>
            {warnings.map(({ message, path }) => <li key={path + message}>{message}</li>)}
          </ul>
        </details>
      )}
    </>
  )
}
