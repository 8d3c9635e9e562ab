/** The hub's own address as a caller sees it. Pure. */
import { isLoopbackName } from "../origins.ts"

/**
 * A hub on loopback is reached by several names of this machine; the name of another host is never taken from a
 * request.
 */
export const ownOrigin = (publicUrl: URL, host: string | undefined): string => {
  if (!isLoopbackName(publicUrl.hostname) || host === undefined) return publicUrl.origin
  const called = URL.parse(`${publicUrl.protocol}//${host}`)
  return called !== null && isLoopbackName(called.hostname) ? called.origin : publicUrl.origin
}
