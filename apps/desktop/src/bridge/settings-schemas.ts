/** Schemas of the app's settings and of a screen's changes to them. Loaded in main only; windows use the types. */
import { Effect, Schema } from "effect"
import { isUpdateFeed } from "./update-feed.ts"

const quietHoursMax = 14

const ClockTime = Schema.String.check(
  Schema.isPattern(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, { message: "expected a time like 22:00" })
)

/**
 * From `from` on each of `days` (0 is Sunday) to `to`, on the next day if `to` is not later. Equal times mean a whole
 * day.
 */
export const QuietHours = Schema.Struct({
  days: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))).check(
    Schema.isMaxLength(7),
    Schema.isUnique()
  ),
  from: ClockTime,
  to: ClockTime
})
export type QuietHours = typeof QuietHours.Type

const modifiers = "Command|Cmd|Control|Ctrl|CommandOrControl|CmdOrCtrl|Alt|Option|AltGr|Super|Meta"
const keys = "[A-Z0-9]|F(?:[1-9]|1\\d|2[0-4])|Space|Plus|Tab|Insert|Delete|Home|End|PageUp|PageDown|Up|Down|Left|Right"

/**
 * `CommandOrControl+Shift+K`: requires a modifier besides Shift, so that the shortcut does not capture plain typing in
 * other programs.
 */
export const Accelerator = Schema.String.check(
  Schema.isMaxLength(60),
  Schema.isPattern(
    new RegExp(`^(?=.*\\b(?:${modifiers})\\+)(?:(?:${modifiers}|Shift)\\+)+(?:${keys})$`, "u"),
    { message: "expected a shortcut like CommandOrControl+Shift+K" }
  )
)

/** The address of the update feed. Spec: reference/desktop.md "E15: updates". */
export const UpdateFeed = Schema.String.check(
  Schema.makeFilter((text) =>
    isUpdateFeed(text) ? undefined : "expected an address like https://updates.example.com/countersign"
  )
)

const Theme = Schema.Literals(["system", "light", "dark"])
type Theme = typeof Theme.Type
const Contrast = Schema.Literals(["system", "standard", "more"])
type Contrast = typeof Contrast.Type

const or = <A>(value: A) => Effect.succeed(value)

export const AppSettings = Schema.Struct({
  version: Schema.Literal(1),
  autostart: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(false))),
  /**
   * Starts with the session in the tray only, until a person opens the window. Without a tray the window is shown
   * anyway.
   */
  start_hidden: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(false))),
  /** Brings the window to the front and keeps its screen; null: no shortcut. */
  shortcut: Schema.NullOr(Accelerator).pipe(Schema.withDecodingDefaultKey(or<string | null>(null))),
  /** Panic stop from any program; null: no shortcut. */
  panic_shortcut: Schema.NullOr(Accelerator).pipe(Schema.withDecodingDefaultKey(or<string | null>(null))),
  /** Applies to all profiles. */
  notifications: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(true))),
  quiet_hours: Schema.Array(QuietHours).check(Schema.isMaxLength(quietHoursMax))
    .pipe(Schema.withDecodingDefaultKey(or<ReadonlyArray<QuietHours>>([]))),
  /** Whether the agent starts with the app. */
  device: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(false))),
  /** Whether crash and support files are kept. Spec: reference/desktop.md "E18: crash and support files". */
  crash_files: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(false))),
  /** Null: the package's own feed, or none. */
  update_feed: Schema.NullOr(UpdateFeed).pipe(Schema.withDecodingDefaultKey(or<string | null>(null))),
  /** The person's choice in the console; applies to all windows and to the system's own controls. */
  theme: Theme.pipe(Schema.withDecodingDefaultKey(or<Theme>("system"))),
  contrast: Contrast.pipe(Schema.withDecodingDefaultKey(or<Contrast>("system")))
})
export type AppSettings = typeof AppSettings.Type

/** A screen's changes: only changed settings. Unknown names are rejected. */
export const SettingsPatch = Schema.Struct({
  autostart: Schema.optionalKey(Schema.Boolean),
  start_hidden: Schema.optionalKey(Schema.Boolean),
  shortcut: Schema.optionalKey(Schema.NullOr(Accelerator)),
  panic_shortcut: Schema.optionalKey(Schema.NullOr(Accelerator)),
  notifications: Schema.optionalKey(Schema.Boolean),
  quiet_hours: Schema.optionalKey(Schema.Array(QuietHours).check(Schema.isMaxLength(quietHoursMax))),
  device: Schema.optionalKey(Schema.Boolean),
  crash_files: Schema.optionalKey(Schema.Boolean),
  update_feed: Schema.optionalKey(Schema.NullOr(UpdateFeed)),
  theme: Schema.optionalKey(Theme),
  contrast: Schema.optionalKey(Contrast)
}).check(
  Schema.makeFilter(({ panic_shortcut, shortcut }) =>
    shortcut != null && shortcut === panic_shortcut ? "one shortcut cannot do two things" : undefined
  )
)
export type SettingsPatch = typeof SettingsPatch.Type
