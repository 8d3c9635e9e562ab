/** One app a person: a second start hands its arguments to the first, which reads them as its own, and ends. Spec: desktop E17. */
import type { App } from "electron"
import { type Launch, readLaunch } from "../launch.ts"

export interface InstanceParts {
  readonly app: Pick<App, "requestSingleInstanceLock" | "on" | "quit">
  readonly argv: ReadonlyArray<string>
  /** The first start's own arguments, and those of every later one. */
  readonly onLaunch: (launch: Launch, isFirst: boolean) => void
}

/** False when another one runs: nothing more is to be done here. */
export const becomeOnly = ({ app, argv, onLaunch }: InstanceParts): boolean => {
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return false
  }
  app.on("second-instance", (_, argv) => onLaunch(readLaunch(argv), false))
  // macOS gives links by an event of its own.
  app.on("open-url", (event, url) => {
    event.preventDefault()
    onLaunch(readLaunch([url]), false)
  })
  onLaunch(readLaunch(argv), true)
  return true
}
