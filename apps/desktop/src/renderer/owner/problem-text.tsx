/** What main did not do, and where it does not fit. */
import { useText } from "@countersign/ui/text/catalogue"
import type { Problem } from "./asking.ts"
import styles from "./desk.module.css"
import { ownerText } from "./text.ts"

export const ProblemText = ({ problem: { message, places } }: { readonly problem: Problem }) => {
  const t = useText(ownerText)
  // One place is in the sentence already.
  return (
    <div className={styles.problem} role="alert">
      <p>{message}</p>
      {places.length > 1 && (
        <ul>
          {places.map((place) => (
            <li key={`${place.path} ${place.message}`}>
              {place.path === "" ? place.message : t.atPlace(place.path, place.message)}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
