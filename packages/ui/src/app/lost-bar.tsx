/** The bar of a lost connection, at the foot: nothing above it moves. What is shown stays, and is as old as the bar says. */
import { useConnection, type Connection } from "../live/connection.ts"
import { OfflineBar } from "../patterns/offline-bar.tsx"
import { useTicking } from "../patterns/ticking.ts"
import { useText } from "../text/catalogue.ts"
import { shellText } from "../text/shell.ts"
import { useConsole } from "./console-context.ts"

export const LostBar = () => {
  const connection = useConnection()
  return connection.phase === "offline" ? <Lost connection={connection} /> : null
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" })

const Lost = ({ connection: { retryAt, since } }: { readonly connection: Extract<Connection, { readonly phase: "offline" }> }) => {
  const t = useText(shellText).offline
  const { live } = useConsole()
  const seconds = useTicking(() => retryAt === undefined ? 0 : Math.max(0, Math.ceil((retryAt - Date.now()) / 1_000)))
  const at = clock.format(since)
  return (
    <OfflineBar label={t.label} spoken={t.spoken} retryText={t.retry} onRetry={live.retryNow}>
      {seconds > 0 ? t.retryIn(at, seconds) : t.since(at)}
    </OfflineBar>
  )
}
