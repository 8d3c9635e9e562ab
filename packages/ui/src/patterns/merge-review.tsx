/**
 * Changes of two people to one object: the other person's changes, the reader's own, and the fields that both changed,
 * side by side with a choice. It is above the form's buttons; the form already holds the merged values.
 */
import { type ReactNode, useEffect, useRef } from "react"
import { RadioGroup } from "../components/radio-group.tsx"
import styles from "./merge-review.module.css"
import { StatusGlyph } from "./status-badge.tsx"

export type Side = "mine" | "theirs"

export interface MergeReviewTexts {
  readonly title: ReactNode
  readonly what: string
  readonly theirs: string
  readonly mine: string
  readonly collisions: string
  readonly before: string
  readonly after: string
  readonly keepMine: string
  readonly takeTheirs: string
  readonly next: string
}

export interface MergeReviewProps {
  /** Changed by the other person alone; already in the form. */
  readonly theirs: ReadonlyArray<
    { readonly key: string; readonly label: string; readonly before: ReactNode; readonly after: ReactNode }
  >
  /** Changed by the reader alone; kept. */
  readonly mine: ReadonlyArray<{ readonly key: string; readonly label: string; readonly value: ReactNode }>
  readonly collisions: ReadonlyArray<{
    readonly key: string
    readonly label: string
    readonly mine: ReactNode
    readonly theirs: ReactNode
    readonly choice: Side | undefined
  }>
  readonly onChoose: (key: string, side: Side) => void
  readonly texts: MergeReviewTexts
}

export const MergeReview = ({ collisions, mine, onChoose, texts, theirs }: MergeReviewProps) => {
  const place = useRef<HTMLElement>(null)
  // The form's foot, where the reader pressed Save, may be far from here.
  useEffect(() => place.current?.focus(), [])
  return (
    <section ref={place} className={styles.review} tabIndex={-1} role="alert" aria-label={texts.what}>
      <StatusGlyph look="waiting" toned size={14} />
      <div className="grid gap-8 min-w-0">
        <p className={styles.title}>{texts.title}</p>
        <p>{texts.what}</p>
        {theirs.length > 0 && (
          <>
            <h3 className="mt-4 type-label text-2">{texts.theirs}</h3>
            <dl className="grid gap-8">
              {theirs.map(({ after, before, key, label }) => (
                <div key={key} className={styles.change}>
                  <dt>{label}</dt>
                  <dd>
                    <span className="sr-only">{`${texts.before} `}</span>
                    <del className={styles.value}>{before}</del>
                    <span className="sr-only">{` ${texts.after} `}</span>
                    <ins className={styles.value}>{after}</ins>
                  </dd>
                </div>
              ))}
            </dl>
          </>
        )}
        {mine.length > 0 && (
          <>
            <h3 className="mt-4 type-label text-2">{texts.mine}</h3>
            <dl className="grid gap-8">
              {mine.map(({ key, label, value }) => (
                <div key={key} className={styles.change}>
                  <dt>{label}</dt>
                  <dd>
                    <span className={styles.value}>{value}</span>
                  </dd>
                </div>
              ))}
            </dl>
          </>
        )}
        {collisions.length > 0 && (
          <>
            <h3 className="mt-4 type-label text-2">{texts.collisions}</h3>
            {collisions.map(({ choice, key, label, mine, theirs }) => (
              <div key={key} className={styles.collision}>
                <RadioGroup<Side>
                  label={label}
                  value={choice}
                  onChange={(side) => onChoose(key, side)}
                  options={[
                    { value: "mine", text: texts.keepMine, description: <span className={styles.value}>{mine}</span> },
                    {
                      value: "theirs",
                      text: texts.takeTheirs,
                      description: <span className={styles.value}>{theirs}</span>
                    }
                  ]}
                />
              </div>
            ))}
          </>
        )}
        <p className="text-2">{texts.next}</p>
      </div>
    </section>
  )
}
