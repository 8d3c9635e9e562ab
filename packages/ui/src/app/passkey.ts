/** Passkeys of the browser. The library is loaded at the first use. */
import type { Output } from "@countersign/hub-client/contract"

export type PasskeyOptions = Output<"factors.passkeyOptions">

/** Whether this page can use passkeys at all; the desktop app's own pages cannot. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && location.protocol.startsWith("http")

const library = () => import("@simplewebauthn/browser")

/** The hub's options and the browser's answers are JSON by the standard's own definition. */
type Json = PasskeyOptions

/** Undefined if the person canceled, or the browser has no matching passkey. */
export const createPasskey = async (options: PasskeyOptions): Promise<Json | undefined> => {
  const { startRegistration } = await library()
  return startRegistration({
    optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"]
  })
    .then((credential) => credential as unknown as Json, () => undefined)
}

export const proveByPasskey = async (options: PasskeyOptions): Promise<Json | undefined> => {
  const { startAuthentication } = await library()
  return startAuthentication({
    optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]["optionsJSON"]
  }).then((credential) => credential as unknown as Json, () => undefined)
}
