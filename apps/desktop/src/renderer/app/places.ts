/** The app's own screens; the console has no such paths. */
import type { desktopText } from "./text.ts"

export const places = ["hubs", "device", "log", "app-settings"] as const
export type Place = typeof places[number]

export const pathOf = (place: Place): string => `/${place}`
export const placeAt = (path: string): Place | undefined => places.find((place) => pathOf(place) === path)

export const placeWords = ({ app }: typeof desktopText): Readonly<Record<Place, string>> => ({
  hubs: app.hubs,
  device: app.device,
  log: app.log,
  "app-settings": app.settings
})
