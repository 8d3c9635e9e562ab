/** Key caps, one for each key: `["g", "i"]` are pressed one after the other. */
import { classNames } from "./class-names.ts"
import styles from "./kbd.module.css"

export interface KbdProps {
  readonly keys: ReadonlyArray<string>
  /** `inherit` takes the color of the surrounding ink button or tooltip. */
  readonly tone?: "standard" | "inherit" | undefined
}

export const Kbd = ({ keys, tone = "standard" }: KbdProps) => (
  <span className={classNames(styles.keys, tone === "inherit" && styles.inherit)}>
    {keys.map((key, at) => <kbd key={`${at} ${key}`} className={styles.key}>{key}</kbd>)}
  </span>
)
