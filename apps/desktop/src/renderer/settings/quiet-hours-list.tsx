/** Quiet hours, in which no notification is shown: the list, and a form for new ones. */
import { Button } from "@countersign/ui/components/button.tsx"
import { Checkbox } from "@countersign/ui/components/checkbox.tsx"
import { TextField } from "@countersign/ui/components/text-field.tsx"
import { type SyntheticEvent, useState } from "react"
import type { SettingsInShell } from "../../bridge/this-computer.ts"
import styles from "./settings.module.css"
import { settingsText as t } from "./text.ts"

type Hours = SettingsInShell["settings"]["quiet_hours"]

const allDays = [0, 1, 2, 3, 4, 5, 6]

export interface QuietHoursListProps {
  readonly hours: Hours
  readonly onChange: (hours: Hours) => void
}

export const QuietHoursList = ({ hours, onChange }: QuietHoursListProps) => {
  const [from, setFrom] = useState("22:00")
  const [to, setTo] = useState("07:00")
  const [days, setDays] = useState<ReadonlyArray<number>>(allDays)
  const names = t.days.split(" ")
  const daysWords = (of: ReadonlyArray<number>) =>
    of.length === allDays.length ? t.everyDay : of.map((day) => names[day]).join(", ")
  const add = (event: SyntheticEvent) => {
    event.preventDefault()
    onChange([...hours, { days, from, to }])
  }
  const toggle = (day: number, isOn: boolean) =>
    setDays(isOn ? allDays.filter((each) => each === day || days.includes(each)) : days.filter((each) => each !== day))
  return (
    <section className={styles.quiet} aria-label={t.quiet}>
      <h3 className={styles.title}>{t.quiet}</h3>
      <p className={styles.note}>{t.quietLead}</p>
      {hours.length > 0 && (
        <ul className={styles.hours}>
          {hours.map(({ days: on, from, to }, at) => (
            <li key={`${on.join()} ${from} ${to}`} className={styles.hour}>
              <span>{t.quietWords(daysWords(on), from, to)}</span>
              <Button
                size="small"
                variant="bare"
                aria-label={t.removeQuiet(from, to)}
                onClick={() => onChange(hours.toSpliced(at, 1))}
              >
                ×
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form className={styles.line} onSubmit={add}>
        <TextField label={t.from} type="time" required value={from} onChange={setFrom} />
        <TextField label={t.to} type="time" required value={to} onChange={setTo} />
        <fieldset className={styles.days}>
          <legend>{t.onDays}</legend>
          {allDays.map((day) => (
            <Checkbox
              key={day}
              label={names[day]}
              checked={days.includes(day)}
              onChange={(isOn) => toggle(day, isOn)}
            />
          ))}
        </fieldset>
        <Button type="submit" disabled={days.length === 0}>{t.addQuiet}</Button>
      </form>
    </section>
  )
}
