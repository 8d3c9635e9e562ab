/** The domain's own reading of cron expressions, with the library behind it. Loaded with the form. */
import { nextDues, parseCron } from "@countersign/domain/cron"
import { isZone } from "@countersign/domain/time-zone"
import { Result } from "effect"
import { nextRunsShown } from "./limits.ts"

export type CronCheck =
  | { readonly ok: true; readonly dues: ReadonlyArray<string> }
  | { readonly ok: false; readonly field: "cron" | "timezone"; readonly expected: string }

export const checkCron = (cron: string, timezone: string, now: number): CronCheck => {
  const parsed = parseCron(cron)
  if (Result.isFailure(parsed)) return { ok: false, field: "cron", expected: parsed.failure }
  if (!isZone(timezone)) return { ok: false, field: "timezone", expected: "an IANA name, such as Europe/Berlin" }
  return {
    ok: true,
    dues: nextDues(parsed.success, timezone, now, nextRunsShown).map((due) => new Date(due).toISOString())
  }
}
