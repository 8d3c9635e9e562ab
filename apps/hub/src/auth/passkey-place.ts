/** The host of which a caller's passkeys are. Pure. Spec: reference/sign-in.md "Passkeys". */
import { isIP } from "node:net"
import { ownOrigin } from "../edge/own-origin.ts"
import type { PasskeyPlace } from "./second-factors.ts"

/** The public host; on loopback the name of this machine that the caller used. Browsers allow no IP address. */
export const placeOf = (publicUrl: URL, host: string | undefined): PasskeyPlace => {
  const origin = ownOrigin(publicUrl, host)
  const { hostname } = new URL(origin)
  return { origin, rpId: isIP(hostname.replace(/^\[|\]$/gu, "")) === 0 ? hostname : undefined }
}
