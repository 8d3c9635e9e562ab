/** Keyboard shortcuts that work on every screen. */
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import type { KeyName } from "./keymap.ts"
import { useKey } from "./keys.ts"
import { openOverlay } from "./overlay.ts"
import { type PlaceName, placeRoute, usePlaces } from "./places.ts"
import { useWorkspaceId } from "./session.ts"

export const useGoKeys = (): void => {
  const places = usePlaces()
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const usePlaceKey = (name: PlaceName, key: KeyName) => {
    const place = places.find((each) => each.name === name)
    useKey(key, () => place !== undefined && void navigate({ to: placeRoute(place), params: { workspace } }), {
      when: place !== undefined
    })
  }
  usePlaceKey("inbox", "go.inbox")
  usePlaceKey("requests", "go.requests")
  usePlaceKey("chat", "go.chat")
  usePlaceKey("agents", "go.agents")
  usePlaceKey("teams", "go.teams")
  usePlaceKey("workflows", "go.workflows")
  usePlaceKey("devices", "go.devices")
  usePlaceKey("catalog", "go.catalog")
  usePlaceKey("money", "go.money")
  usePlaceKey("usage", "go.usage")
  usePlaceKey("audit", "go.audit")
  usePlaceKey("standing", "go.standing")
  usePlaceKey("policies", "go.policies")
  usePlaceKey("settings", "go.settings")
  useKey("everywhere.palette", () => openOverlay("palette"))
  useKey("everywhere.keys", () => openOverlay("keys"))
  useKey("list.search", focusSearch)
  useFieldEscape()
}

const focusSearch = (): void => {
  const field = document.querySelector<HTMLInputElement>("[data-search] input, input[data-search]")
  // Folded filters on a narrow screen.
  if (field?.checkVisibility() === false) document.querySelector<HTMLElement>("[data-fold]")?.click()
  // The unfolded field is rendered in the same turn.
  queueMicrotask(() => field?.focus())
}

/** Escape in a search field leaves the field; the screen handles a second Escape. */
const useFieldEscape = (): void => {
  const listening = useRef(false)
  useEffect(() => {
    if (listening.current) return
    listening.current = true
    const leave = (event: KeyboardEvent) => {
      if (
        event.key === "Escape" && event.target instanceof HTMLInputElement &&
        event.target.matches("[data-search] input, input[data-search]")
      ) {
        event.target.blur()
      }
    }
    window.addEventListener("keydown", leave)
    return () => {
      listening.current = false
      window.removeEventListener("keydown", leave)
    }
  }, [])
}
