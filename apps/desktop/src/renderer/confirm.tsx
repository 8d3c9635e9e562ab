/** The main process's confirmation window for actions that the console's page may not perform alone. */
import "@countersign/ui/tokens/index.css"
import { createRoot } from "react-dom/client"
import type { ConfirmBridge } from "../bridge/contract.ts"
import { ConfirmApp } from "./confirm/confirm-app.tsx"
import "./contrast.ts"

declare global {
  interface Window {
    readonly countersignConfirm: ConfirmBridge
  }
}

const begin = async (bridge: ConfirmBridge) => {
  const answer = await bridge.read()
  if (!answer.ok) return void await bridge.answer({ yes: false })
  createRoot(document.getElementById("root")!).render(
    <ConfirmApp bridge={bridge} facts={answer.value} />
  )
}

void begin(window.countersignConfirm)
