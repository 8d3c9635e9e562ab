/**
 * The tray's row for an update that is ready, since the window may never be opened. Spec: reference/desktop.md "E15:
 * updates".
 */
import type { UpdateState } from "../../bridge/this-computer.ts"
import { plainLine } from "../platform/plain-text.ts"
import type { MenuEntry, TrayModel } from "../waiting/tray.ts"

/** Above the last two rows: the window and Quit. */
const fromEnd = -2

export const withUpdate = (model: TrayModel, update: UpdateState): TrayModel => {
  if (update.phase !== "ready") return model
  const version = plainLine(update.version, 30)
  const row: MenuEntry = update.waits
    ? { kind: "fact", label: `Version ${version} is installed once nothing runs here` }
    : { kind: "act", label: `Update ready: install version ${version}`, act: { kind: "install_update" } }
  return { ...model, menu: model.menu.toSpliced(fromEnd, 0, row) }
}
