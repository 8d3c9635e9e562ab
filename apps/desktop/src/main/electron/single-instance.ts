/**
 * One instance per person: a second start passes its arguments to the first instance, which handles them like its own,
 * and ends. Spec: reference/desktop.md "E17: one instance".
 */
import type { App } from "electron"
import { type Launch, readLaunch } from "../lifecycle/launch.ts"

export interface InstanceParts {
  readonly app: Pick<App, "requestSingleInstanceLock" | "on" | "quit">
  readonly argv: ReadonlyArray<string>
  /** Called with the first start's arguments and those of every later start. */
  readonly onLaunch: (launch: Launch, isFirst: boolean) => void
}

/** False when another instance runs: the caller then does nothing more. */
export const becomeOnly = ({ app, argv, onLaunch }: InstanceParts): boolean => {
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return false
  }
  app.on("second-instance", (_, argv) => onLaunch(readLaunch(argv), false))
  // macOS passes links by a separate event.
  app.on("open-url", (event, url) => {
    event.preventDefault()
    onLaunch(readLaunch([url]), false)
  })
  onLaunch(readLaunch(argv), true)
  return true
}
