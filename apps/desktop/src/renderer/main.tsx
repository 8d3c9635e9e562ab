/** The console in the app's window: the same one that a hub serves, its hub reached through the bridge; beside it the app's own screens. */
import "@countersign/ui/tokens/index.css"
import { applyAppearance } from "@countersign/ui/app/appearance"
import { offerCommands } from "@countersign/ui/app/commands"
import { start } from "@countersign/ui/app/start.tsx"
import { hubClock } from "@countersign/ui/hub/hub-time"
import { currentLocale, LocaleContext, textIn } from "@countersign/ui/text/catalogue"
import { CSPProvider } from "@base-ui/react/csp-provider"
import type { ReactNode } from "react"
import { createRoot } from "react-dom/client"
import type { ConsoleBridge, HubPhase, ShellState } from "../bridge/contract.ts"
import { makeBridgeClient } from "./bridge-client.ts"
import { HubsApp } from "./hubs/hubs-app.tsx"
import { ShellBar } from "./shell-bar.tsx"
import { desktopText } from "./text.ts"

declare global {
  interface Window {
    readonly countersign: ConsoleBridge
  }
}

/** The app's own screens live below it; the console has no such path. */
const hubsPath = "/hubs"

const draw = (id: string, node: ReactNode) => {
  createRoot(document.getElementById(id)!).render(
    <CSPProvider disableStyleElements>
      <LocaleContext value={currentLocale()}>{node}</LocaleContext>
    </CSPProvider>
  )
}

const phaseOf = ({ current, hubs }: ShellState): HubPhase["phase"] | undefined => hubs.find(({ id }) => id === current)?.state?.phase

const begin = async (bridge: ConsoleBridge) => {
  const said = await bridge.shell.state()
  if (!said.ok) throw new Error(said.error.message)
  const first = said.value
  const hub = first.hubs.find(({ id }) => id === first.current)
  if (hub === undefined || location.pathname === hubsPath) {
    applyAppearance()
    bridge.onScreen((path) => location.assign(path))
    return draw("root", <HubsApp bridge={bridge} first={first} />)
  }
  const t = textIn(currentLocale(), desktopText)
  // The router hears it as a step through the window's history.
  bridge.onScreen((path) => {
    history.pushState(null, "", path)
    window.dispatchEvent(new PopStateEvent("popstate"))
  })
  // Main's connection is back before the console's next try is due.
  let phase = phaseOf(first)
  bridge.onState((state) => {
    const now = phaseOf(state)
    if (now === "connected" && phase !== "connected") window.dispatchEvent(new Event("online"))
    phase = now
  })
  offerCommands([{ id: "hubs", text: t.hubs, run: () => location.assign(hubsPath) }])
  start(document.getElementById("root")!, makeBridgeClient({ bridge, hubUrl: hub.url, clock: hubClock }))
  draw("shell", <ShellBar bridge={bridge} first={first} hubsPath={hubsPath} />)
}

void begin(window.countersign)
