/** The next due times in the zone and in UTC; clock changes stand between the times that they separate. */
import { Fragment } from "react"
import { hubClock } from "../hub/hub-time.ts"
import { Phrase } from "../text/catalogue.ts"
import { schedulesText } from "../text/schedules.ts"
import { dueRows } from "./due-times.ts"
import styles from "./schedules.module.css"

export const DueList = ({ dues, zone }: { readonly dues: ReadonlyArray<string>; readonly zone: string }) => {
  const t = schedulesText.due
  if (dues.length === 0) return <p className="type-body text-2">{t.none}</p>
  return (
    <table className={styles.dues} aria-label={t.list}>
      <thead>
        <tr>
          <th scope="col">
            <Phrase text={t.zone} zone={zone} />
          </th>
          <th scope="col">{t.utc}</th>
        </tr>
      </thead>
      <tbody>
        {dueRows(dues, zone, hubClock.now()).map(({ at, change, local, utc }) => (
          <Fragment key={at}>
            {change !== undefined && (
              <tr>
                <td colSpan={2} className={styles.change}>
                  {change.minutes > 0 ? t.forward(change.at, change.minutes) : t.back(change.at, -change.minutes)}
                </td>
              </tr>
            )}
            <tr>
              <td>
                <time dateTime={at}>{local}</time>
              </td>
              <td>{utc}</td>
            </tr>
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}
