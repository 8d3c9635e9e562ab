/** Electron's part of quitting: the question before it, and the start after it. */
import type { App, Dialog } from "electron"
import type { QuitAnswer } from "../lifecycle/ending.ts"
import { type Launch, launchArguments } from "../lifecycle/launch.ts"

/** In the order of the dialog's buttons. */
const answers = ["wait", "stop", "stay"] as const

export const askToQuit = async (
  dialog: Pick<Dialog, "showMessageBox">,
  running: number,
  hasTray: boolean
): Promise<QuitAnswer> => {
  const isOne = running === 1
  const { response } = await dialog.showMessageBox({
    type: "question",
    message: isOne ? "1 command still runs on this computer" : `${running} commands still run on this computer`,
    detail: `If you wait, nothing new begins and Countersign ends after them. Until then it stays ${
      hasTray ? "in the tray" : "without a window"
    }.`,
    buttons: [isOne ? "Wait for it" : "Wait for them", isOne ? "Stop it" : "Stop them", "Stay"],
    defaultId: 0,
    cancelId: 2,
    noLink: true
  })
  return answers[response] ?? "stay"
}

/** An AppImage is started by its own file, not by the unpacked program. */
export const exitFor = (app: Pick<App, "exit" | "relaunch">, again: Launch | undefined): void => {
  const appImage = process.env["APPIMAGE"]
  if (again !== undefined) {
    app.relaunch({
      args: launchArguments(process.argv.slice(1), again),
      ...appImage === undefined ? {} : { execPath: appImage }
    })
  }
  app.exit(0)
}
