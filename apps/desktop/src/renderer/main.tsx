/**
 * The console in the app's window: the same code that a hub serves, with its hub reached through the bridge, and the
 * app's own screens.
 */
import "@countersign/ui/tokens/index.css"
import { CSPProvider } from "@base-ui/react/csp-provider"
import { HubError } from "@countersign/hub-client/error"
import { applyAppearance, currentAppearance, onAppearance } from "@countersign/ui/app/appearance"
import { offerCommands } from "@countersign/ui/app/commands"
import { offerNotices } from "@countersign/ui/app/notices"
import { offerLocalTools } from "@countersign/ui/chat/local-tools"
import { hubClock } from "@countersign/ui/hub/hub-time"
import { start } from "@countersign/ui/start.tsx"
import type { ReactNode } from "react"
import { createRoot } from "react-dom/client"
import type { ConsoleBridge, ShellState } from "../bridge/contract.ts"
import type { HubState } from "../bridge/hub-state.ts"
import { AppPages } from "./app-pages.tsx"
import { placeIcons } from "./app/place-icons.tsx"
import { pathOf, placeAt, places, placeWords } from "./app/places.ts"
import { ShellBar } from "./app/shell-bar.tsx"
import { desktopText } from "./app/text.ts"
import { makeBridgeClient } from "./bridge-client.ts"
import { NoState } from "./no-state.tsx"

declare global {
  interface Window {
    readonly countersign: ConsoleBridge
  }
}

const draw = (id: string, node: ReactNode) => {
  createRoot(document.getElementById(id)!).render(
    <CSPProvider disableStyleElements>{node}</CSPProvider>
  )
}

const phaseOf = ({ current, hubs }: ShellState): HubState["phase"] | undefined =>
  hubs.find(({ id }) => id === current)?.state?.phase

/** Keeps the app's other windows and the system's own elements in the console's appearance. */
const reportAppearance = (bridge: ConsoleBridge) => {
  let reported = ""
  const report = () => {
    const { contrast, theme } = currentAppearance()
    if (reported === `${theme} ${contrast}`) return
    reported = `${theme} ${contrast}`
    void bridge.shell.changeSettings({ theme, contrast }).catch(() => {})
  }
  report()
  onAppearance(report)
}

const begin = async (bridge: ConsoleBridge) => {
  reportAppearance(bridge)
  let first: ShellState
  try {
    const answer = await bridge.shell.state()
    if (!answer.ok) throw new Error(answer.error.message)
    first = answer.value
  } catch (error) {
    applyAppearance()
    return draw("root", <NoState problem={error instanceof Error ? error.message : String(error)} />)
  }
  const hub = first.hubs.find(({ id }) => id === first.current)
  const place = placeAt(location.pathname)
  if (hub === undefined || place !== undefined) {
    applyAppearance()
    bridge.onScreen((path) => location.assign(path))
    return draw("root", <AppPages bridge={bridge} first={first} place={place} />)
  }
  const t = desktopText
  // The router handles it like a step through the window's history.
  bridge.onScreen((path) => {
    if (placeAt(path.split("?")[0] ?? "") !== undefined) return location.assign(path)
    history.pushState(null, "", path)
    window.dispatchEvent(new PopStateEvent("popstate"))
  })
  // Reconnects the console's stream at once instead of at its next retry.
  let phase = phaseOf(first)
  offerNotices(first.notices)
  bridge.onState((state) => {
    offerNotices(state.notices)
    const now = phaseOf(state)
    if (now === "connected" && phase !== "connected") window.dispatchEvent(new Event("online"))
    phase = now
  })
  const words = placeWords(t)
  offerCommands(places.map((each) => ({
    id: `app.${each}`,
    text: words[each],
    icon: placeIcons[each],
    run: () => location.assign(pathOf(each))
  })))
  offerLocalTools({
    tools: async () => {
      const answer = await bridge.shell.localTools()
      return answer.ok ? answer.value : []
    },
    answer: async (ask) => {
      const answer = await bridge.shell.answerLocalTools(ask)
      if (!answer.ok) throw new HubError(answer.error)
    }
  })
  start(document.getElementById("root")!, makeBridgeClient({ bridge, hubUrl: hub.url, clock: hubClock }))
  draw("shell", <ShellBar bridge={bridge} first={first} />)
}

void begin(window.countersign)
