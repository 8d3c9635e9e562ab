/** The app's settings as a service, stored in a file of this folder. */
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { openSettings, type Settings } from "./settings.ts"

export const settingsFileName = "settings.json"

export class AppSettingsFile
  extends Context.Service<AppSettingsFile, Settings>()("@countersign/desktop/AppSettingsFile")
{
  static readonly layer = (folder: string) =>
    Layer.effect(AppSettingsFile, Effect.sync(() => openSettings(join(folder, settingsFileName))))
}
