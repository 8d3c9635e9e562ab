/** Names of what passes between a window and main. Without any schema, so that the preload carries none. */
import type { EndpointName } from "@countersign/ui/hub/contract"
import { endpoints } from "@countersign/ui/hub/endpoints"
import { ownerChannel, ownerMethods } from "./owner.ts"

/**
 * Endpoints that no window needs: streams, which have their own way; those of a device's own key; a workspace's metrics. All others of the
 * console's table are the allowlist.
 */
export const unbridged = [
  "events.stream", "discovery.metrics", "audit.export", "devices.register", "devices.heartbeat", "device_pairing.start", "device_commands.ack",
  "device_commands.state", "device_commands.output", "device_commands.done"
] as const satisfies ReadonlyArray<EndpointName>

export type BridgedEndpoint = Exclude<EndpointName, typeof unbridged[number]>

const closed: ReadonlySet<string> = new Set(unbridged)
export const bridgedEndpoints = Object.keys(endpoints).filter((name): name is BridgedEndpoint => !closed.has(name))

/** GETs whose body a link saves as a file: `app://countersign/api/v1/audit-logs/export?…`. */
export const downloads = ["audit.export", "usage.report", "discovery.openapi"] as const satisfies ReadonlyArray<EndpointName>

export const hubChannel = (endpoint: BridgedEndpoint): string => `countersign:hub/${endpoint}`

/** Endpoints that tell their answer bit by bit, when they are asked to. */
export const streamed = ["device_commands.readOutput"] as const satisfies ReadonlyArray<BridgedEndpoint>

/** What the console's window may ask of the shell, beside the hub. */
export const shellMethods = [
  "state", "listening", "findHub", "addHub", "updateHub", "removeHub", "openHub", "retryNow", "openEvents", "openStream", "closeStream", "device",
  "setDevice", "pauseDevice", "resumeDevice", "bringBackDevice", "pairDevice", "cancelPairing", "unpairDevice", "panic", "showOwner", "log",
  "settings", "changeSettings", "testNotice", "checkUpdates", "installUpdate", "removeCrashFiles"
] as const
export type ShellMethod = typeof shellMethods[number]
export const shellChannel = (method: ShellMethod): string => `countersign:shell/${method}`

/** Of the window that asks once more before an approval above the limit. */
export const confirmMethods = ["read", "ready", "answer"] as const
export type ConfirmMethod = typeof confirmMethods[number]
export const confirmChannel = (method: ConfirmMethod): string => `countersign:confirm/${method}`

/** From main to the console's window. */
export const pushes = {
  events: "countersign:push/events", state: "countersign:push/state", screen: "countersign:push/screen", computer: "countersign:push/computer"
} as const

/** Every channel on which main answers. */
export const answered: ReadonlyArray<string> = [
  ...bridgedEndpoints.map(hubChannel), ...shellMethods.map(shellChannel), ...confirmMethods.map(confirmChannel),
  ...ownerMethods.map(ownerChannel)
]
