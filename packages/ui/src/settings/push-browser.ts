/**
 * The subscription of this browser to notices. The service worker only shows them: it answers no requests and caches
 * nothing. Loaded with the screen of notifications.
 */
import type { Input } from "@countersign/hub-client/contract"

const workerPath = "/push-worker.js"

interface TrustedScriptUrls {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: () => string }
  ) => { readonly createScriptURL: (input: string) => string }
}

/** The content policy allows this one policy, and it yields one address. */
const workerUrl = (() => {
  let made: string | undefined
  return (): string => {
    const factory = (globalThis as { readonly trustedTypes?: TrustedScriptUrls }).trustedTypes
    made ??= factory === undefined
      ? workerPath
      : factory.createPolicy("countersign-push", { createScriptURL: () => workerPath }).createScriptURL("")
    return made
  }
})()

export const isPushSupported = (): boolean =>
  isSecureContext && "serviceWorker" in navigator && "PushManager" in globalThis && typeof Notification === "function"

/** The current subscription; null without one. */
export const currentSubscription = async (): Promise<PushSubscription | null> => {
  if (!isPushSupported()) return null
  const registration = await navigator.serviceWorker.getRegistration("/")
  return await registration?.pushManager.getSubscription() ?? null
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    atob(base64url.replaceAll("-", "+").replaceAll("_", "/")),
    (character) => character.charCodeAt(0)
  )

const isSameKey = (subscription: PushSubscription, key: Uint8Array): boolean => {
  const own = subscription.options.applicationServerKey
  return own !== null && new Uint8Array(own).every((byte, at) => byte === key[at])
}

/** Subscribes with the hub's key. A subscription for another key, of an earlier database, is replaced. */
export const subscribe = async (publicKey: string): Promise<Input<"notifications.subscribe">["payload"]> => {
  await navigator.serviceWorker.register(workerUrl())
  const { pushManager } = await navigator.serviceWorker.ready
  const key = bytesOf(publicKey)
  const current = await pushManager.getSubscription()
  if (current !== null && !isSameKey(current, key)) await current.unsubscribe()
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint = "", keys = {} } = subscription.toJSON()
  return { endpoint, keys: { p256dh: keys["p256dh"] ?? "", auth: keys["auth"] ?? "" } }
}

export const unsubscribe = async (): Promise<void> => {
  await (await currentSubscription())?.unsubscribe()
}
