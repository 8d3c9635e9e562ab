/** On a hub's card: it shows an authority that is not trusted here, as after its own was renewed. */
import { useText } from "@countersign/ui/text/catalogue"
import { useState } from "react"
import type { ConsoleBridge, HubInShell } from "../../bridge/contract.ts"
import { desktopText } from "../text.ts"
import { UntrustedAuthority } from "./untrusted-authority.tsx"

export interface RenewedAuthorityProps {
  readonly bridge: ConsoleBridge
  readonly hub: HubInShell
  /** As main saw it when it stopped. */
  readonly shown: {
    readonly subject: string
    readonly sha256: string
    readonly code: string
    readonly may_import: boolean
  }
}

export const RenewedAuthority = ({ bridge, hub, shown }: RenewedAuthorityProps) => {
  const t = useText(desktopText)
  const [problem, setProblem] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const renew = async () => {
    const found = await bridge.shell.findHub({ url: hub.url })
    if (!found.ok) return found.error.message
    // It answers with what is trusted here: trying again is all.
    if (found.value.kind === "hub") return void await bridge.shell.retryNow()
    if (found.value.kind === "none") return `${t.none}: ${found.value.message}`
    if (found.value.sha256 !== shown.sha256) {
      await bridge.shell.retryNow()
      return t.showsAnother
    }
    const said = await bridge.shell.updateHub({ id: hub.id, import_ca_sha256: shown.sha256 })
    return said.ok ? undefined : said.error.message
  }
  const ask = async () => {
    setAsking(true)
    setProblem(await renew().catch(() => t.notDone))
    setAsking(false)
  }
  return (
    <UntrustedAuthority
      subject={shown.subject}
      sha256={shown.sha256}
      code={shown.code}
      mayImport={shown.may_import}
      problem={problem}
      isAsking={isAsking}
      onImport={() => void ask()}
    />
  )
}
