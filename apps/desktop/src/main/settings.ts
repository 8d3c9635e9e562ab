/**
 * What the owner set for this app on this computer: a file of its own beside the profiles. What is missing in it is as it was at
 * first.
 */
import { Effect, Schema } from "effect"
import { type Aside, keptFile } from "./kept-file.ts"
import { QuietHours } from "./notices/quiet.ts"
import { isUpdateFeed } from "./updates.ts"

const quietHoursMax = 14

const modifiers = "Command|Cmd|Control|Ctrl|CommandOrControl|CmdOrCtrl|Alt|Option|AltGr|Super|Meta"
const keys = "[A-Z0-9]|F(?:[1-9]|1\\d|2[0-4])|Space|Plus|Tab|Insert|Delete|Home|End|PageUp|PageDown|Up|Down|Left|Right"

/** `CommandOrControl+Shift+K`: at least one modifier besides Shift, so that no plain typing is taken from other programs. */
export const Accelerator = Schema.String.check(
  Schema.isMaxLength(60),
  Schema.isPattern(
    new RegExp(`^(?=.*\\b(?:${modifiers})\\+)(?:(?:${modifiers}|Shift)\\+)+(?:${keys})$`, "u"),
    { message: "expected a shortcut like CommandOrControl+Shift+K" }
  )
)

/** Where updates are read from. Spec: E15. */
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
  /** Started with the session: only in the tray, until it is asked for. Without a tray the window shows all the same. */
  start_hidden: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(false))),
  /** Brings the window to the front, as it was left; null: none. */
  shortcut: Schema.NullOr(Accelerator).pipe(Schema.withDecodingDefaultKey(or<string | null>(null))),
  /** Panic stop, wherever one is; null: none. */
  panic_shortcut: Schema.NullOr(Accelerator).pipe(Schema.withDecodingDefaultKey(or<string | null>(null))),
  /** Over all profiles. */
  notifications: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(true))),
  quiet_hours: Schema.Array(QuietHours).check(Schema.isMaxLength(quietHoursMax))
    .pipe(Schema.withDecodingDefaultKey(or<ReadonlyArray<QuietHours>>([]))),
  /** The agent is started with the app. */
  device: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(false))),
  /** Crash and support files are kept. Spec: E18. */
  crash_files: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(or(false))),
  /** Null: the package's own, or none. */
  update_feed: Schema.NullOr(UpdateFeed).pipe(Schema.withDecodingDefaultKey(or<string | null>(null))),
  /** As a person chose them in the console: of all windows, the system's own parts among them. */
  theme: Theme.pipe(Schema.withDecodingDefaultKey(or<Theme>("system"))),
  contrast: Contrast.pipe(Schema.withDecodingDefaultKey(or<Contrast>("system")))
})
export type AppSettings = typeof AppSettings.Type

/** What a screen sends: only what changes. Unknown names are refused. */
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

export const settingsDefault: AppSettings = Schema.decodeUnknownSync(AppSettings)({ version: 1 })

export interface Settings {
  readonly current: () => AppSettings
  /** Where a file went that could not be read, for a plain notice. */
  readonly aside: Aside | undefined
  /** Throws when the disk takes nothing, or when both shortcuts would be the same: then nothing has changed. */
  readonly change: (patch: SettingsPatch) => AppSettings
  readonly subscribe: (listener: (settings: AppSettings, before: AppSettings) => void) => () => void
}

export const openSettings = (path: string): Settings => {
  const file = keptFile(path, AppSettings)
  const read = file.read()
  let settings = read.value ?? settingsDefault
  const listeners = new Set<(settings: AppSettings, before: AppSettings) => void>()
  return {
    current: () => settings,
    aside: read.aside,
    change: (patch) => {
      const next = { ...settings, ...patch }
      const isTwice = next.shortcut !== null && next.shortcut === next.panic_shortcut
      if (JSON.stringify(next) === JSON.stringify(settings)) return settings
      if (isTwice) throw new RangeError("One shortcut cannot do two things")
      file.write(next)
      const before = settings
      settings = next
      for (const listener of listeners) listener(settings, before)
      return settings
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}
