/** On a hub's card: the hub shows an authority that is not trusted here, for example after a renewal. */
import { useState } from "react"
import type { ConsoleBridge, HubInShell } from "../../bridge/contract.ts"
import { desktopText as t } from "../app/text.ts"
import { UntrustedAuthority } from "./untrusted-authority.tsx"

export interface RenewedAuthorityProps {
  readonly bridge: ConsoleBridge
  readonly hub: HubInShell
  /** The certificate that the main process saw when it stopped. */
  readonly shown: {
    readonly subject: string
    readonly sha256: string
    readonly code: string
    readonly may_import: boolean
  }
}

export const RenewedAuthority = ({ bridge, hub, shown }: RenewedAuthorityProps) => {
  const [problem, setProblem] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const renew = async () => {
    const found = await bridge.shell.findHub({ url: hub.url })
    if (!found.ok) return found.error.message
    // The hub's certificate is trusted again; a retry is enough.
    if (found.value.kind === "hub") return void await bridge.shell.retryNow()
    if (found.value.kind === "none") return `${t.none}: ${found.value.message}`
    if (found.value.sha256 !== shown.sha256) {
      await bridge.shell.retryNow()
      return t.showsAnother
    }
    const answer = await bridge.shell.updateHub({ id: hub.id, import_ca_sha256: shown.sha256 })
    return answer.ok ? undefined : answer.error.message
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
