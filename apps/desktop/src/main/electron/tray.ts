/**
 * Electron's tray, drawn from its model. On a desktop without a tray `makeTray` returns undefined, and the window stays
 * open.
 */
import { wordsOf } from "../platform/error-words.ts"
import { cellOf, type MenuEntry, type TrayAct, type TrayModel } from "../waiting/tray.ts"

/** Electron's `NativeImage`. */
interface Image {
  readonly crop: (
    area: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  ) => Image
  readonly toPNG: () => Buffer
  readonly addRepresentation: (options: { readonly scaleFactor: number; readonly buffer: Buffer }) => void
  readonly setTemplateImage: (option: boolean) => void
}

interface MenuItem {
  readonly label?: string
  readonly enabled?: boolean
  readonly type?: "separator"
  readonly click?: () => void
}

export interface NativeTray<Menu> {
  setImage(image: Image): void
  readonly setToolTip: (text: string) => void
  readonly setTitle: (title: string) => void
  readonly setContextMenu: (menu: Menu) => void
  readonly on: (event: "click", listener: () => void) => unknown
  readonly destroy: () => void
}

/** Electron's parts. */
export interface TrayParts<Menu> {
  readonly platform: NodeJS.Platform
  readonly newTray: (image: Image) => NativeTray<Menu>
  readonly nativeImage: { readonly createFromPath: (path: string) => Image }
  readonly buildMenu: (items: Array<MenuItem>) => Menu
  readonly setBadgeCount: (count: number) => unknown
  /** The folder of the image strips. */
  readonly resources: string
}

export interface Tray {
  readonly show: (model: TrayModel) => void
  readonly close: () => void
}

/** Side length of a cell, in pixels of the smaller strip. */
const side = 16

/** In menus `&` marks the access key. */
const labelOf = (text: string): string => text.replaceAll("&", "&&")

const sameMenu = (a: ReadonlyArray<MenuEntry>, b: ReadonlyArray<MenuEntry>): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** GNOME shows a tray only with an extension, which Ubuntu includes; a program cannot detect it. */
export const drawsTrays = (
  { environment, platform }: {
    readonly platform: NodeJS.Platform
    readonly environment: Readonly<Record<string, string | undefined>>
  }
): boolean => {
  const desktop = environment["XDG_CURRENT_DESKTOP"] ?? ""
  return platform !== "linux" || !/gnome/iu.test(desktop) || /ubuntu/iu.test(desktop)
}

/** Undefined when the system has no tray; the app then uses only its window. */
export const makeTray = <Menu>(
  parts: TrayParts<Menu>,
  begin: TrayModel,
  act: (act: TrayAct) => void,
  log: (event: string, detail: string) => void
): Tray | undefined => {
  const isMac = parts.platform === "darwin"
  const strip = (size: number): Image =>
    parts.nativeImage.createFromPath(`${parts.resources}/tray-${isMac ? "template-" : ""}${size}.png`)
  const images = new Map<number, Image>()
  const [small, large] = [strip(side), strip(2 * side)]
  const imageOf = (cell: number): Image => {
    let image = images.get(cell)
    if (image === undefined) {
      image = small.crop({ x: cell * side, y: 0, width: side, height: side })
      const double = large.crop({ x: cell * 2 * side, y: 0, width: 2 * side, height: 2 * side })
      image.addRepresentation({ scaleFactor: 2, buffer: double.toPNG() })
      if (isMac) image.setTemplateImage(true)
      images.set(cell, image)
    }
    return image
  }
  /** macOS shows the count beside the icon. */
  const cellFor = ({ picture }: TrayModel): number =>
    cellOf(isMac && picture.kind === "waiting" ? { kind: "waiting", text: "1" } : picture)
  const itemOf = (entry: MenuEntry): MenuItem => {
    switch (entry.kind) {
      case "line":
        return { type: "separator" }
      case "fact":
        return { label: labelOf(entry.label), enabled: false }
      case "act":
        return { label: labelOf(entry.label), click: () => act(entry.act) }
    }
  }
  let tray: NativeTray<Menu>
  try {
    tray = parts.newTray(imageOf(cellFor(begin)))
  } catch (error) {
    log("no_tray", wordsOf(error))
    return undefined
  }
  let shown: TrayModel | undefined
  const show = (model: TrayModel): void => {
    const before = shown
    shown = model
    if (before === undefined || cellFor(before) !== cellFor(model)) tray.setImage(imageOf(cellFor(model)))
    if (before?.tooltip !== model.tooltip) tray.setToolTip(model.tooltip)
    if (isMac && before?.title !== model.title) tray.setTitle(model.title)
    if (before?.badge !== model.badge) parts.setBadgeCount(model.badge)
    // An equal menu is not replaced, so that an open menu stays under the pointer.
    if (before === undefined || !sameMenu(before.menu, model.menu)) {
      tray.setContextMenu(parts.buildMenu(model.menu.map(itemOf)))
    }
  }
  tray.on("click", () => act({ kind: "open" }))
  show(begin)
  return {
    show,
    close: () => {
      parts.setBadgeCount(0)
      tray.destroy()
    }
  }
}
