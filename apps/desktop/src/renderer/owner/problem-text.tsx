/** An error of the main process, with the paths of invalid values. */
import type { Problem } from "./bridge-call.ts"
import styles from "./desk.module.css"
import { ownerText as t } from "./text.ts"

export const ProblemText = ({ problem: { message, places } }: { readonly problem: Problem }) => {
  // A single path is already part of the sentence.
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
