/** Electron's folder dialog, above the focused window; only the owner's window opens it. */
import { Layer } from "effect"
import type { BaseWindow, Dialog, OpenDialogOptions } from "electron"
import { FolderDialog } from "../windows/folder-dialog.ts"

export interface FolderDialogParts {
  readonly dialog: Pick<Dialog, "showOpenDialog">
  /** Electron's `BrowserWindow.getFocusedWindow`. */
  readonly focused: () => BaseWindow | null
}

export const folderDialogLayer = ({ dialog, focused }: FolderDialogParts) =>
  Layer.succeed(FolderDialog, {
    pick: async ({ button, title }) => {
      const options: OpenDialogOptions = {
        title,
        buttonLabel: button,
        properties: ["openDirectory", "createDirectory", "dontAddToRecent"]
      }
      const above = focused()
      const { canceled, filePaths: [path] } =
        await (above === null ? dialog.showOpenDialog(options) : dialog.showOpenDialog(above, options))
      return canceled ? undefined : path
    }
  })
