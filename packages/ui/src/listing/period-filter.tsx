/** The editor of a period: common ones with one press, any other by its two days. */
import { useState } from "react"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { listingText as t } from "../text/listing.ts"
import styles from "./listing.module.css"
import { isDay, type Period, type Preset, presetPeriod } from "./period.ts"

export interface PeriodEditorProps {
  readonly value: Period
  readonly presets?: ReadonlyArray<Preset>
  readonly onApply: (period: Period) => void
}

const usualPresets: ReadonlyArray<Preset> = ["today", "week", "month"]

const dayIn = (text: string | undefined) => text === undefined ? "" : isDay(text) ? text : text.slice(0, 10)

export const PeriodEditor = ({ onApply, presets = usualPresets, value }: PeriodEditorProps) => {
  const [from, setFrom] = useState(dayIn(value.from))
  const [to, setTo] = useState(dayIn(value.to))
  const wrong = from !== "" && to !== "" && from > to
  return (
    <form
      className={`grid gap-12 max-w-full ${styles.period}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (!wrong) onApply({ from: from === "" ? undefined : from, to: to === "" ? undefined : to })
      }}
    >
      <div className="flex flex-wrap gap-8">
        {presets.map((preset) => (
          <Button
            key={preset}
            size="small"
            onClick={() => onApply(presetPeriod(preset, hubClock.now()))}
          >
            {t.period.presets[preset]}
          </Button>
        ))}
      </div>
      <div className={`grid gap-8 ${styles.days}`}>
        <TextField label={t.period.from} type="date" value={from} onChange={setFrom} max="9999-12-31" />
        <TextField
          label={t.period.to}
          type="date"
          value={to}
          onChange={setTo}
          max="9999-12-31"
          error={wrong ? t.period.wrong : undefined}
        />
      </div>
      <p className="type-note text-3">{t.period.hint}</p>
      <Button type="submit" variant="primary" disabled={wrong}>{t.apply}</Button>
    </form>
  )
}
