/**
 * The bar shown during an outage, at the foot, so that nothing above it moves. It shows since when the screen may be
 * out of date.
 */
import type { Outage } from "@countersign/hub-client/stream-connection"
import { isOutage, useConnection } from "../live/connection.ts"
import { clockText } from "../patterns/moment-text.ts"
import { OfflineBar } from "../patterns/offline-bar.tsx"
import { useTicking } from "../patterns/ticking.ts"
import { shellText as text } from "../text/shell.ts"
import { useConsole } from "./console-context.ts"

export const LostBar = () => {
  const connection = useConnection()
  return isOutage(connection) ? <Lost outage={connection} /> : null
}

const Lost = ({ outage: { phase, retryAt, since } }: { readonly outage: Outage }) => {
  const t = text[phase]
  const { live } = useConsole()
  const seconds = useTicking(() => retryAt === undefined ? 0 : Math.max(0, Math.ceil((retryAt - Date.now()) / 1_000)))
  const at = clockText(since)
  return (
    <OfflineBar label={text.offline.label} spoken={t.spoken} retryText={text.offline.retry} onRetry={live.retryNow}>
      {seconds > 0 ? t.retryIn(at, seconds) : t.since(at)}
    </OfflineBar>
  )
}
