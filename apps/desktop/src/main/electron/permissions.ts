/** Pages may notify and write to the clipboard; Electron's own default would allow nearly all. Spec: desktop E8. */
import type { Session } from "electron"
import { isOwnPage } from "../own-page.ts"

const granted: ReadonlySet<string> = new Set(["notifications", "clipboard-sanitized-write"])

export type PermissionSession = Pick<
  Session,
  "setPermissionRequestHandler" | "setPermissionCheckHandler" | "setDevicePermissionHandler"
>

/** `allows` false: a window that needs none at all. */
export const guardPermissions = (session: PermissionSession, allows: boolean): void => {
  const may = (permission: string, url: string | undefined) =>
    allows && granted.has(permission) && url !== undefined && isOwnPage(url)
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(may(permission, requestingUrl))
  )
  session.setPermissionCheckHandler((_contents, permission, origin, { requestingUrl }) =>
    may(permission, requestingUrl ?? origin)
  )
  session.setDevicePermissionHandler(() => false)
}
