/** Methods of the connection log's screen, with the support text. */
import { Effect } from "effect"
import { homedir, release } from "node:os"
import { appVersion } from "../../version.ts"
import { ConnectionLog } from "../connection-log/service.ts"
import { supportText } from "../connection-log/support-text.ts"
import { Device } from "../device/service.ts"
import { Connections } from "../hub/port.ts"
import { Profiles } from "../profiles/profiles.ts"
import type { ShellMethods } from "./methods.ts"

export const logMethods = Effect.gen(function*() {
  const log = yield* ConnectionLog
  const { all } = yield* Profiles
  const { states } = yield* Connections
  const { host } = yield* Device
  return {
    log: () =>
      Effect.runPromise(Effect.gen(function*() {
        const profiles = yield* all
        const phases = yield* states
        const names = new Map(profiles.map(({ id, name }) => [id, name]))
        const { name: deviceName, phase, reason } = host.view()
        return {
          entries: log.entries().map(({ about, ...entry }) => ({
            ...entry,
            about: about === undefined ? null : names.get(about) ?? about
          })),
          support_text: supportText({
            appVersion,
            system: `${process.platform} ${release()} ${process.arch}`,
            electron: process.versions["electron"],
            now: Date.now(),
            profiles: profiles.map(({ id, name, url }) => ({ id, name, url, phase: phases.get(id)?.phase ?? "none" })),
            device: reason === undefined ? phase : `${phase}: ${reason}`,
            deviceName,
            home: homedir()
          }, log.entries())
        }
      }))
  } satisfies Partial<ShellMethods>
})
