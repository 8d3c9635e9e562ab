/** A cron expression and its zone, with their meaning in words and the next times, computed while the person types. */
import { useEffect, useState } from "react"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { useRested } from "../conditions/use-expression.ts"
import { hubClock } from "../hub/hub-time.ts"
import { schedulesText } from "../text/schedules.ts"
import type { CronCheck } from "./cron-check.ts"
import { cronWords } from "./cron-words.ts"
import { DueList } from "./due-list.tsx"
import { cronLengthMax } from "./limits.ts"
import styles from "./schedules.module.css"

interface CronFieldProps {
  readonly cron: string
  readonly timezone: string
  readonly onChange: (changes: { readonly cron?: string; readonly timezone?: string }) => void
}

const zonesOf = (zone: string): ReadonlyArray<string> => [
  ...new Set(["UTC", Intl.DateTimeFormat().resolvedOptions().timeZone, zone, ...Intl.supportedValuesOf("timeZone")])
]

export const CronField = ({ cron, onChange, timezone }: CronFieldProps) => {
  const t = schedulesText.form
  const check = useCronCheck(cron, timezone)
  const [zones] = useState(() => zonesOf(timezone))
  return (
    <>
      <div className={`grid items-start gap-16 ${styles.pair}`}>
        <TextField
          label={t.cron}
          description={check?.ok === true ? cronWords(cron) : t.cronAbout}
          mono
          required
          maxLength={cronLengthMax}
          value={cron}
          onChange={(next) => onChange({ cron: next })}
          error={check?.ok === false && check.field === "cron" ? t.expected(check.expected) : undefined}
          path="cron"
        />
        <Select
          label={t.timezone}
          value={timezone}
          onChange={(next) => onChange({ timezone: next })}
          options={zones.map((zone) => ({ value: zone, text: zone }))}
          path="timezone"
        />
      </div>
      {check?.ok === true && <DueList dues={check.dues} zone={timezone} />}
    </>
  )
}

/** Undefined while it is empty or being checked, and if the rules could not be loaded: the hub checks it too. */
const useCronCheck = (cron: string, timezone: string): CronCheck | undefined => {
  const rested = useRested({ cron, timezone })
  const [check, setCheck] = useState<{ readonly of: string; readonly result: CronCheck }>()
  useEffect(() => {
    if (rested.cron.trim() === "") return setCheck(undefined)
    let isLatest = true
    import("./cron-check.ts").then(({ checkCron }) => {
      if (!isLatest) return
      setCheck({ of: JSON.stringify(rested), result: checkCron(rested.cron, rested.timezone, hubClock.now()) })
    }, () => {})
    return () => {
      isLatest = false
    }
  }, [rested])
  return check?.of === JSON.stringify({ cron, timezone }) ? check.result : undefined
}
