/**
 * The mark of a payload: equal payloads have equal seals everywhere. A frame closes around it once the hub confirms the
 * approval.
 */
import { classNames } from "../components/class-names.ts"
import { sealText, sealTicks } from "./seal-ticks.ts"
import styles from "./seal.module.css"

export interface SealProps {
  /** `payload_digest`: hex. */
  readonly digest: string
  /**
   * The hub confirmed the approval. The frame closes in 240 ms when this becomes true, and is closed at once if it was
   * true from the start.
   */
  readonly closed?: boolean | undefined
  /** For screen readers, before the eight characters, such as "Seal". */
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
    <span className="sr-only">{label}</span>
    <span className="type-mono text-2">{sealText(digest)}</span>
  </span>
)
