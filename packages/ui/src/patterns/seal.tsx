/** The mark of what is decided: one payload has one seal wherever it stands. A frame closes round it on the hub's answer. */
import { classNames } from "../components/class-names.ts"
import { sealText, sealTicks } from "./seal-ticks.ts"
import styles from "./seal.module.css"

export interface SealProps {
  /** `payload_digest`: hex. */
  readonly digest: string
  /** The hub said so: countersigned. It closes in 240 ms when this turns true, and stands closed if it always was. */
  readonly closed?: boolean | undefined
  /** Spoken before the eight characters, such as "Seal". */
  readonly label: string
}

const width = 31
const height = 20

export const Seal = ({ digest, closed = false, label }: SealProps) => (
  <span className={styles.seal}>
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden>
      {sealTicks(digest).map(({ x, height: tall }) => (
        <rect key={x} x={x + 4} y={height - 4 - tall} width="2" height={tall} className={styles.tick} />
      ))}
      <rect
        x="0.5"
        y="0.5"
        width={width - 1}
        height={height - 1}
        rx="2.5"
        pathLength="1"
        className={classNames(styles.frame, closed && styles.closed)}
      />
    </svg>
    <span className={styles.spoken}>{label}</span>
    <span className={styles.text}>{sealText(digest)}</span>
  </span>
)
