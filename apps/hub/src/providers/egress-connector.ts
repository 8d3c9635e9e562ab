/** Connections of outbound calls: only to addresses that the hub may call, checked before and after connecting. */
import { lookup } from "node:dns/promises"
import { isIP, type Socket } from "node:net"
import type { buildConnector } from "undici"
import type { Undici } from "./agent.ts"
import { EgressRefused } from "./egress-errors.ts"
import { addressRefusal, type AllowEntry, hostOf, isAddressListed, isNameAllowed } from "./egress-rules.ts"

const connectMillisMax = 10_000
/** The time per address while other addresses remain. */
const connectMillisNext = 3_000
const addressesMax = 4

/** All addresses of a name, as the system's resolver gives them. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

export interface EgressOptions {
  /** Refuses every call. */
  readonly paused?: boolean
  readonly allow: ReadonlyArray<AllowEntry>
  readonly resolve?: Resolve
}

const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

/**
 * Resolves a name, checks every address, connects to a checked one, and checks the peer's address again, so a name that
 * changes between check and connection is refused.
 */
export const guardedConnector = (
  { buildConnector }: Pick<Undici, "buildConnector">,
  { allow, paused = false, resolve = systemResolve }: EgressOptions,
  trustAll: boolean
): buildConnector.connector => {
  const last = buildConnector({ allowH2: false, timeout: connectMillisMax })
  const early = buildConnector({ allowH2: false, timeout: connectMillisNext })
  const dial = (connector: buildConnector.connector, options: buildConnector.Options) =>
    new Promise<Socket>((done, fail) => connector(options, (error, socket) => error ? fail(error) : done(socket!)))

  const connect = async (options: buildConnector.Options): Promise<Socket> => {
    if (paused) throw new EgressRefused({ reason: pausedReason })
    const hostname = hostOf(options.hostname)
    const port = options.port === "" ? (options.protocol === "https:" ? 443 : 80) : Number(options.port)
    const trusted = trustAll || isNameAllowed(allow, hostname, port)
    const addresses = isIP(hostname) === 0 ? await withinConnectTime(resolve(hostname.replace(/\.$/, ""))) : [hostname]
    if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" })
    const [refusal] = trusted ? [] : addresses.flatMap((address) => addressRefusal(allow, address, port) ?? [])
    // A name with an inner address is refused completely, unless the operator lists one of its addresses: then only
    // those are called.
    const callable = refusal === undefined
      ? addresses
      : addresses.filter((address) => isAddressListed(allow, address, port))
    if (refusal !== undefined && callable.length === 0) throw refused(hostname, refusal)
    let failed: unknown
    const tried = callable.slice(0, addressesMax)
    for (const [at, address] of tried.entries()) {
      try {
        const socket = await dial(at === tried.length - 1 ? last : early, { ...options, hostname: address })
        const reached = socket.remoteAddress ?? ""
        const refusal = trusted ? undefined : addressRefusal(allow, reached, port)
        if (refusal === undefined) return socket
        socket.on("error", () => {}).destroy()
        throw refused(hostname, refusal)
      } catch (error) {
        if (error instanceof EgressRefused) throw error
        failed = error
      }
    }
    throw failed
  }

  return (options, callback) => {
    connect(options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error("the connection failed"), null)
    )
  }
}

export const pausedReason = "this hub is a paused copy, which calls nobody"

const refused = (hostname: string, refusal: string) =>
  new EgressRefused({
    reason:
      `the hub does not call ${hostname}: its address is ${refusal}. An operator can allow it in HUB_EGRESS_ALLOW.`
  })

const withinConnectTime = <A>(promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(Object.assign(new Error("late"), { code: "EAI_AGAIN" })), connectMillisMax)
    timer.unref()
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
