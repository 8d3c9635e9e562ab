/**
 * Pages may show notifications and write to the clipboard; Electron's default would allow almost all permissions. Spec:
 * reference/desktop.md "E8: permissions".
 */
import type { Session } from "electron"
import { isOwnPage } from "../windows/own-page.ts"

const granted: ReadonlySet<string> = new Set(["notifications", "clipboard-sanitized-write"])

export type PermissionSession = Pick<
  Session,
  "setPermissionRequestHandler" | "setPermissionCheckHandler" | "setDevicePermissionHandler"
>

/** `allows` false: for a window that needs no permission. */
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
