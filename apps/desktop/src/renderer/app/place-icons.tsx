import { MonitorCog, Network, ScrollText, Settings2 } from "lucide-react"
import type { ReactNode } from "react"
import type { Place } from "./places.ts"

export const placeIcons: Readonly<Record<Place, ReactNode>> = {
  hubs: <Network />,
  device: <MonitorCog />,
  log: <ScrollText />,
  "app-settings": <Settings2 />
}
