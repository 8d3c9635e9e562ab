/** The workspace's settings as typed, and the changes to send. */
import type { Workspace } from "@countersign/domain/workspaces"
import { formatMoney } from "../components/money-text.ts"
import { keysField, type MergeField } from "../patterns/three-way.ts"
import { figure } from "../text/catalogue.ts"
import type { mergeText } from "../text/merge.ts"
import type { settingsText } from "../text/settings.ts"

export const lifeUnits = { minutes: 60, hours: 3_600, days: 86_400 } as const
export type LifeUnit = keyof typeof lifeUnits
export const lifeUnitNames = Object.keys(lifeUnits) as ReadonlyArray<LifeUnit>

const lifeSecondsMin = 60
const lifeSecondsMax = 2_592_000
const levelsMax = 10
const percentMax = 1_000
export const retentionDaysMax = 3_650

export interface WorkspaceDraft {
  readonly name: string
  readonly thresholdCents: number | undefined
  readonly life: number | undefined
  readonly lifeUnit: LifeUnit
  readonly hasStepUp: boolean
  readonly stepUpCents: number | undefined
  readonly duties: boolean
  readonly secondFactor: Workspace["second_factor"]
  /** As typed: `50, 80, 100`. */
  readonly alerts: string
  readonly retentionDays: number | undefined
  readonly deviceOutputDays: number | undefined
}

/** The largest unit in which a lifetime is a whole number. */
const unitOf = (seconds: number): LifeUnit =>
  seconds % lifeUnits.days === 0 ? "days" : seconds % lifeUnits.hours === 0 ? "hours" : "minutes"

export const usualStepUpCents = 10_000

export const draftOf = (workspace: Workspace): WorkspaceDraft => {
  const lifeUnit = unitOf(workspace.approval_life_seconds)
  return {
    name: workspace.name,
    thresholdCents: workspace.approval_threshold_cents,
    life: Math.round(workspace.approval_life_seconds / lifeUnits[lifeUnit]),
    lifeUnit,
    hasStepUp: workspace.step_up_cents !== undefined,
    stepUpCents: workspace.step_up_cents ?? usualStepUpCents,
    duties: workspace.separation_of_duties,
    secondFactor: workspace.second_factor,
    alerts: workspace.alert_levels.join(", "),
    retentionDays: workspace.retention_days,
    deviceOutputDays: workspace.device_output_days
  }
}

/** Ascending percentages; undefined if the text is invalid. */
export const readAlertLevels = (text: string): ReadonlyArray<number> | undefined => {
  const parts = text.split(/[\s,;%]+/u).filter((part) => part !== "")
  const levels = parts.map((part) => /^\d{1,4}$/u.test(part) ? Number(part) : Number.NaN)
  const isRising = levels.every((level, at) =>
    level >= 1 && level <= percentMax && (at === 0 || level > levels[at - 1]!)
  )
  return isRising && levels.length <= levelsMax ? levels : undefined
}

export const lifeSeconds = ({ life, lifeUnit }: WorkspaceDraft): number | undefined => {
  const seconds = life === undefined ? Number.NaN : life * lifeUnits[lifeUnit]
  return seconds >= lifeSecondsMin && seconds <= lifeSecondsMax ? seconds : undefined
}

/** Fields with invalid values. */
export const draftProblems = (draft: WorkspaceDraft): ReadonlySet<keyof WorkspaceDraft> => {
  const problems = new Set<keyof WorkspaceDraft>()
  if (draft.name.trim() === "") problems.add("name")
  if (draft.thresholdCents === undefined) problems.add("thresholdCents")
  if (lifeSeconds(draft) === undefined) problems.add("life")
  if (draft.hasStepUp && draft.stepUpCents === undefined) problems.add("stepUpCents")
  if (readAlertLevels(draft.alerts) === undefined) problems.add("alerts")
  if (draft.deviceOutputDays === undefined) problems.add("deviceOutputDays")
  return problems
}

export interface WorkspaceChange {
  name?: string
  approval_threshold_cents?: number
  approval_life_seconds?: number
  separation_of_duties?: boolean
  retention_days?: number | null
  device_output_days?: number
  alert_levels?: ReadonlyArray<number>
  step_up_cents?: number | null
  second_factor?: Workspace["second_factor"]
}

/** Empty if nothing changed. Call it on a draft without problems. */
export const changeOf = (workspace: Workspace, draft: WorkspaceDraft): WorkspaceChange => {
  const change: WorkspaceChange = {}
  const name = draft.name.trim()
  if (name !== workspace.name) change.name = name
  if (draft.thresholdCents !== undefined && draft.thresholdCents !== workspace.approval_threshold_cents) {
    change.approval_threshold_cents = draft.thresholdCents
  }
  const life = lifeSeconds(draft)
  if (life !== undefined && life !== workspace.approval_life_seconds) change.approval_life_seconds = life
  if (draft.duties !== workspace.separation_of_duties) change.separation_of_duties = draft.duties
  if (draft.retentionDays !== workspace.retention_days) change.retention_days = draft.retentionDays ?? null
  const { deviceOutputDays } = draft
  if (deviceOutputDays !== undefined && deviceOutputDays !== workspace.device_output_days) {
    change.device_output_days = deviceOutputDays
  }
  const levels = readAlertLevels(draft.alerts)
  if (levels !== undefined && levels.join() !== workspace.alert_levels.join()) change.alert_levels = levels
  if (draft.secondFactor !== workspace.second_factor) change.second_factor = draft.secondFactor
  const stepUp = draft.hasStepUp ? draft.stepUpCents : undefined
  if (stepUp !== workspace.step_up_cents) change.step_up_cents = stepUp ?? null
  return change
}

/** The fields of the form, to merge with another person's changes. */
export const workspaceFields = (
  t: typeof settingsText["workspace"],
  words: typeof mergeText
): ReadonlyArray<MergeField<WorkspaceDraft>> => [
  keysField(["name"], t.name, ({ name }) => name),
  keysField(["thresholdCents"], t.threshold, ({ thresholdCents }) => amount(words, thresholdCents)),
  {
    ...keysField<WorkspaceDraft>(
      ["life", "lifeUnit"],
      t.life,
      ({ life, lifeUnit }) => life === undefined ? words.none : `${figure(life)} ${t.units[lifeUnit]}`
    ),
    // 24 hours equal 1 day.
    value: lifeSeconds
  },
  {
    ...keysField<WorkspaceDraft>(
      ["hasStepUp", "stepUpCents"],
      t.stepUp,
      ({ hasStepUp, stepUpCents }) => hasStepUp ? amount(words, stepUpCents) : words.no
    ),
    value: ({ hasStepUp, stepUpCents }) => hasStepUp ? stepUpCents ?? null : "off"
  },
  keysField(["duties"], t.duties, ({ duties }) => duties ? words.yes : words.no),
  keysField(["secondFactor"], t.secondFactor, ({ secondFactor }) => t.secondFactors[secondFactor]),
  keysField(["alerts"], t.alerts, ({ alerts }) => alerts === "" ? words.none : alerts),
  keysField(
    ["retentionDays"],
    t.retention,
    ({ retentionDays }) => retentionDays === undefined ? words.none : `${figure(retentionDays)} ${t.retentionUnit}`
  ),
  keysField(
    ["deviceOutputDays"],
    t.deviceRetention,
    ({ deviceOutputDays }) =>
      deviceOutputDays === undefined ? words.none : `${figure(deviceOutputDays)} ${t.retentionUnit}`
  )
]

const amount = (words: typeof mergeText, cents: number | undefined): string =>
  cents === undefined ? words.none : formatMoney(cents)
