/**
 * The entries of one transfer as a T account: debits left, credits right, each side summed, and the two sums compared.
 */
import type { ReactNode } from "react"
import { classNames } from "../components/class-names.ts"
import { Money } from "./money.tsx"
import styles from "./t-account.module.css"

export interface Posting {
  readonly id: string
  readonly account: ReactNode
  /** Above 0 a debit, below 0 a credit. */
  readonly cents: number
}

export interface TAccountProps {
  readonly postings: ReadonlyArray<Posting>
  readonly texts: {
    readonly label: string
    readonly debit: string
    readonly credit: string
    readonly total: string
    /** "Debits and credits sum to". */
    readonly difference: string
  }
}

export const TAccount = ({ postings, texts }: TAccountProps) => {
  const debits = postings.filter((posting) => posting.cents > 0)
  const credits = postings.filter((posting) => posting.cents < 0)
  const difference = postings.reduce((sum, posting) => sum + posting.cents, 0)
  return (
    <div className={styles.account} role="group" aria-label={texts.label}>
      <div className={styles.sides}>
        <Side head={texts.debit} total={texts.total} postings={debits} />
        <Side head={texts.credit} total={texts.total} postings={credits} />
      </div>
      <p className={classNames(styles.sum, difference !== 0 && styles.wrong)}>
        {texts.difference}{" "}
        <strong className={styles.figure}>
          <Money cents={difference} />
        </strong>
      </p>
    </div>
  )
}

interface SideProps {
  readonly head: string
  readonly total: string
  readonly postings: ReadonlyArray<Posting>
}

const Side = ({ head, total, postings }: SideProps) => (
  <table className={styles.side}>
    <caption className="pb-4 type-meta text-3 text-start">{head}</caption>
    <tbody>
      {postings.map((posting) => (
        <tr key={posting.id}>
          <th scope="row" className="min-w-0 wrap-anywhere">{posting.account}</th>
          <td>
            <Money cents={Math.abs(posting.cents)} end />
          </td>
        </tr>
      ))}
    </tbody>
    <tfoot>
      <tr className={styles.total}>
        <th scope="row">{total}</th>
        <td>
          <Money cents={postings.reduce((sum, posting) => sum + Math.abs(posting.cents), 0)} end />
        </td>
      </tr>
    </tfoot>
  </table>
)
