/** Names the parts of a link that the list does not apply, and removes them. */
import { CircleAlert } from "lucide-react"
import { Button } from "../components/button.tsx"
import { listingText } from "../text/listing.ts"
import styles from "./ignored-filters.module.css"

export const IgnoredFilters = (
  { ignored, onRemove }: { readonly ignored: ReadonlyArray<string>; readonly onRemove: () => void }
) => {
  const t = listingText.ignored
  return (
    <div className={styles.notice} role="status">
      <CircleAlert aria-hidden size={16} />
      <span className={styles.words}>
        {t.text(ignored.length)}
        {ignored.map((each) => <code key={each} translate="no">{each}</code>)}
      </span>
      <Button size="small" onClick={onRemove}>{t.act}</Button>
    </div>
  )
}
