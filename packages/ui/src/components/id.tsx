/**
 * An id, key, or digest in mono: shortened in the middle, shown in full on focus and in its tooltip, copied on a click.
 */
import { classNames } from "./class-names.ts"
import type { CopyTexts } from "./copy-button.tsx"
import { useCopying } from "./copying.ts"
import { middleTruncated } from "./id-text.ts"
import styles from "./id.module.css"
import { Tooltip } from "./tooltip.tsx"

export interface IdProps {
  readonly value: string
  /** Characters kept at each end; 8 and 4 by default. */
  readonly head?: number | undefined
  readonly tail?: number | undefined
  readonly whole?: boolean | undefined
  /** Without texts it is not a button, for use in a row that is a link. */
  readonly texts?: CopyTexts | undefined
}

export const Id = ({ value, head = 8, tail = 4, whole = false, texts }: IdProps) => {
  const [state, copy] = useCopying(value)
  const short = whole ? value : middleTruncated(value, head, tail)
  if (texts === undefined) return <span className={styles.id} title={short === value ? undefined : value}>{short}</span>
  const stateText = state === "idle" ? texts.copy : state === "copied" ? texts.copied : texts.refused
  return (
    <>
      <Tooltip
        text={
          <>
            <span className="type-mono wrap-anywhere">{value}</span> {stateText}
          </>
        }
      >
        <button
          type="button"
          className={classNames(styles.id, styles.button)}
          aria-label={`${short}, ${texts.copy}`}
          aria-description={short === value ? undefined : value}
          onClick={copy}
        >
          <span>{short}</span>
          <span className={styles.onFocus}>{value}</span>
        </button>
      </Tooltip>
      <span role="status" className="sr-only">{state === "idle" ? "" : stateText}</span>
    </>
  )
}
