/** Overlays of the shell: one at a time, opened from the rail, the palette, shortcuts, and banners. */
import { sharedValue, useSharedValue } from "../components/shared-value.ts"

export type Overlay = "palette" | "keys" | "freeze"

const open = sharedValue<Overlay | undefined>(undefined)

export const openOverlay = open.set
export const useOverlay = (): Overlay | undefined => useSharedValue(open)
