/** The owner's window: what is asked at this computer, and what this computer lends. Main decides; here it is drawn and pressed. */
import "@countersign/ui/tokens/index.css"
import { currentLocale, LocaleContext } from "@countersign/ui/text/catalogue"
import { createRoot } from "react-dom/client"
import type { OwnerBridge } from "../bridge/owner.ts"
import "./contrast.ts"
import { OwnerApp } from "./owner/owner-app.tsx"

declare global {
  interface Window {
    readonly countersignOwner: OwnerBridge
  }
}

const begin = async (bridge: OwnerBridge) => {
  const said = await bridge.state()
  if (!said.ok) throw new Error(said.error.message)
  createRoot(document.getElementById("root")!).render(
    <LocaleContext value={currentLocale()}>
      <OwnerApp bridge={bridge} first={said.value} />
    </LocaleContext>
  )
}

void begin(window.countersignOwner)
