/** Main's own question before what the console's page may not do alone. */
import "@countersign/ui/tokens/index.css"
import { currentLocale, LocaleContext } from "@countersign/ui/text/catalogue"
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
  const said = await bridge.read()
  if (!said.ok) return void await bridge.answer({ yes: false })
  createRoot(document.getElementById("root")!).render(
    <LocaleContext value={currentLocale()}>
      <ConfirmApp bridge={bridge} facts={said.value} />
    </LocaleContext>
  )
}

void begin(window.countersignConfirm)
