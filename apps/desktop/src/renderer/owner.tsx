/**
 * The owner's window: questions about commands, and the settings of this device. The main process decides; this window
 * shows and collects input.
 */
import "@countersign/ui/tokens/index.css"
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
  const answer = await bridge.state()
  if (!answer.ok) throw new Error(answer.error.message)
  createRoot(document.getElementById("root")!).render(
    <OwnerApp bridge={bridge} first={answer.value} />
  )
}

void begin(window.countersignOwner)
