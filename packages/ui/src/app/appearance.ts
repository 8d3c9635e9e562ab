/** This person's appearance settings in this browser: theme, contrast, density, width of the rail, and time format. */
import { useSyncExternalStore } from "react"
import { setTimeDisplay } from "../patterns/time-zone.ts"
import { kept } from "./kept.ts"

export const themes = ["system", "light", "dark"] as const
export const contrasts = ["system", "standard", "more"] as const
export const densities = ["system", "compact", "standard", "touch"] as const

export interface Appearance {
  readonly theme: (typeof themes)[number]
  readonly contrast: (typeof contrasts)[number]
  readonly density: (typeof densities)[number]
  readonly narrowRail: boolean
  /** True: no relative times such as "4 min ago". */
  readonly absoluteTimes: boolean
}

const usual: Appearance = {
  theme: "system",
  contrast: "system",
  density: "system",
  narrowRail: false,
  absoluteTimes: false
}

const oneOf = <V extends string>(values: ReadonlyArray<V>, value: unknown): V =>
  values.find((each) => each === value) ?? values[0]!

const read = (value: unknown): Appearance | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const { absoluteTimes, contrast, density, narrowRail, theme } = value as Readonly<Record<string, unknown>>
  return {
    theme: oneOf(themes, theme),
    contrast: oneOf(contrasts, contrast),
    density: oneOf(densities, density),
    narrowRail: narrowRail === true,
    absoluteTimes: absoluteTimes === true
  }
}

const store = kept<Appearance>("appearance", read)

export const currentAppearance = (): Appearance => store.get() ?? usual
export const setAppearance = (changed: Partial<Appearance>): void => store.set({ ...currentAppearance(), ...changed })
export const useAppearance = (): Appearance => useSyncExternalStore(store.subscribe, currentAppearance)

export const onAppearance = (listener: () => void): () => void => store.subscribe(listener)

/** Writes the settings to the root element, and again whenever they change here or in another tab. */
export const applyAppearance = (root: HTMLElement = document.documentElement): void => {
  const apply = () => {
    const appearance = currentAppearance()
    setTimeDisplay({ isAbsolute: appearance.absoluteTimes })
    for (const name of ["theme", "contrast", "density"] as const) {
      if (appearance[name] === "system") delete root.dataset[name]
      else root.dataset[name] = appearance[name]
    }
  }
  apply()
  onAppearance(apply)
}
