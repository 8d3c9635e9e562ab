import type { Input, Output, Row } from "@countersign/hub-client/contract"
import type { QueryClient } from "@tanstack/react-query"
import { hubOf, hubPages, hubQuery } from "../hub/queries.ts"

export type Device = Output<"devices.get">
export type DeviceSession = Row<"device_sessions.list">
export type Command = Output<"device_commands.get">
export type Pairing = Output<"device_pairing.get">
export type Tool = Device["capabilities"][number]

export type DeviceFilters = Pick<NonNullable<Input<"devices.list">["query"]>, "q" | "state">
export type CommandFilters = Pick<NonNullable<Input<"device_sessions.commands">["query"]>, "status">

/** Contact with a device is not an event, so its age is polled. */
export const presenceMillis = 10_000

/** The hub's maximum page size; older sessions are not offered. */
const sessionsMax = 50

export const devicePages = (workspace: string, filters: DeviceFilters) => ({
  ...hubPages("devices.list", workspace, { query: filters }),
  refetchInterval: presenceMillis
})
export const deviceQuery = (workspace: string, id: string) => ({
  ...hubQuery("devices.get", workspace, { params: { id } }),
  refetchInterval: presenceMillis
})
export const sessionsQuery = (workspace: string, device: string) =>
  hubQuery("device_sessions.list", workspace, { query: { device_id: device, limit: sessionsMax } })
export const commandPages = (workspace: string, session: string, filters: CommandFilters) =>
  hubPages("device_sessions.commands", workspace, { params: { id: session }, query: filters })
export const commandQuery = (workspace: string, id: string) =>
  hubQuery("device_commands.get", workspace, { params: { id } })
export const pairingQuery = (workspace: string, code: string) => ({
  ...hubQuery("device_pairing.get", workspace, { params: { code } }),
  // A wrong code counts against the person, so it is not retried.
  queryFn: ({ client, signal }: { readonly client: QueryClient; readonly signal: AbortSignal }) =>
    hubOf(client).call("device_pairing.get", { params: { code } }, { signal, workspace, once: true }),
  staleTime: Number.POSITIVE_INFINITY,
  retryOnMount: false,
  refetchOnWindowFocus: false
})
