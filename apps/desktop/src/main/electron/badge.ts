/**
 * The count on the app's icon: the system draws it in dock and launcher; in Windows' taskbar it is the tray's icon as
 * an overlay on each window's icon. Spec: reference/desktop.md "Tray".
 */
import { cellOf, countShownMax } from "../waiting/tray.ts"

interface Image {
  readonly crop: (
    area: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  ) => Image
}

interface TaskbarWindow {
  readonly isDestroyed: () => boolean
  setOverlayIcon(overlay: Image | null, description: string): void
}

/** Electron's parts. */
export interface BadgeParts {
  readonly platform: NodeJS.Platform
  readonly setBadgeCount: (count: number) => unknown
  readonly windows: () => ReadonlyArray<TaskbarWindow>
  readonly onWindow: (listener: (window: TaskbarWindow) => void) => void
  /** The tray's image strip, and the side length of its cells. */
  readonly strip: () => Image
  readonly side: number
}

export const makeBadge = (
  { onWindow, platform, setBadgeCount, side, strip, windows }: BadgeParts
): (count: number) => void => {
  if (platform !== "win32") return (count) => void setBadgeCount(count)
  let shown = 0
  const draw = (window: TaskbarWindow): void => {
    if (window.isDestroyed()) return
    const text = shown > countShownMax ? `${countShownMax}+` : String(shown)
    const overlay = shown === 0
      ? null
      : strip().crop({ x: cellOf({ kind: "waiting", text }) * side, y: 0, width: side, height: side })
    window.setOverlayIcon(
      overlay,
      shown === 0 ? "" : shown === 1 ? "1 pending approval or request" : `${text} pending approvals and requests`
    )
  }
  onWindow((window) => {
    if (shown > 0) draw(window)
  })
  return (count) => {
    shown = count
    for (const window of windows()) draw(window)
  }
}
