/** The key names of this platform. */
export const isApple = /Mac|iPhone|iPad/u.test(navigator.platform)

export const paletteKeys: ReadonlyArray<string> = isApple ? ["⌘", "K"] : ["Ctrl", "K"]
