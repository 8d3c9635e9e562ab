/** How this computer writes its keys. */
export const isApple = /Mac|iPhone|iPad/u.test(navigator.platform)

export const paletteKeys: ReadonlyArray<string> = isApple ? ["⌘", "K"] : ["Ctrl", "K"]
