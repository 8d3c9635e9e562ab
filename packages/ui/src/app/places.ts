/**
 * The screens of a workspace, as the rail, phone bar, palette, and shortcuts name them. Screens without a route are not
 * offered.
 */
import type { Permission } from "@countersign/domain/auth"
import { useRouter } from "@tanstack/react-router"
import {
  BookOpenText,
  ChartColumn,
  Folder,
  Handshake,
  Inbox,
  KeyRound,
  Laptop,
  Library,
  ListChecks,
  type LucideIcon,
  MessagesSquare,
  ScrollText,
  Settings,
  ShieldCheck,
  Stamp,
  Users,
  Wallet,
  Workflow,
  Wrench
} from "lucide-react"
import { useMemo } from "react"
import type { KeyName } from "./keymap.ts"
import { useCan } from "./session.ts"

export type PlaceName =
  | "start"
  | "inbox"
  | "requests"
  | "chat"
  | "agents"
  | "families"
  | "tasks"
  | "teams"
  | "workflows"
  | "runs"
  | "schedules"
  | "triggers"
  | "devices"
  | "catalog"
  | "storage"
  | "knowledge"
  | "money"
  | "usage"
  | "audit"
  | "standing"
  | "policies"
  | "secrets"
  | "apps"
  | "publications"
  | "settings"

export interface Place {
  readonly name: PlaceName
  /** Below `/w/$workspace`. */
  readonly path: Exclude<PlaceName, "families" | "runs"> | "agents/families" | "workflow-runs"
  readonly Icon: LucideIcon
  readonly permission: Permission | undefined
  readonly key?: KeyName
  /** The place of the rail that leads here and is marked as current; absent for a place of the rail. */
  readonly under?: PlaceName
}

const places: ReadonlyArray<Place> = [
  { name: "start", path: "start", Icon: ListChecks, permission: "agents:write" },
  { name: "inbox", path: "inbox", Icon: Inbox, permission: "approvals:read", key: "go.inbox" },
  { name: "standing", path: "standing", Icon: Stamp, permission: "approvals:read", key: "go.standing" },
  { name: "requests", path: "requests", Icon: ScrollText, permission: "requests:read", key: "go.requests" },
  { name: "chat", path: "chat", Icon: MessagesSquare, permission: "chat:read", key: "go.chat" },
  { name: "agents", path: "agents", Icon: Users, permission: "agents:read", key: "go.agents" },
  { name: "families", path: "agents/families", Icon: Users, permission: "agents:read", under: "agents" },
  { name: "tasks", path: "tasks", Icon: Users, permission: "agents:read", under: "agents" },
  { name: "teams", path: "teams", Icon: Handshake, permission: "members:read", key: "go.teams" },
  { name: "workflows", path: "workflows", Icon: Workflow, permission: "workflows:read", key: "go.workflows" },
  { name: "runs", path: "workflow-runs", Icon: Workflow, permission: "workflows:read", under: "workflows" },
  { name: "schedules", path: "schedules", Icon: Workflow, permission: "schedules:read", under: "workflows" },
  { name: "triggers", path: "triggers", Icon: Workflow, permission: "triggers:read", under: "workflows" },
  { name: "devices", path: "devices", Icon: Laptop, permission: "devices:read", key: "go.devices" },
  { name: "catalog", path: "catalog", Icon: Wrench, permission: "catalog:read", key: "go.catalog" },
  { name: "storage", path: "storage", Icon: Folder, permission: "storage:read" },
  { name: "knowledge", path: "knowledge", Icon: Library, permission: "knowledge:read" },
  { name: "money", path: "money", Icon: Wallet, permission: "budgets:read", key: "go.money" },
  { name: "usage", path: "usage", Icon: ChartColumn, permission: "usage:read", key: "go.usage" },
  { name: "audit", path: "audit", Icon: BookOpenText, permission: "audit:read", key: "go.audit" },
  { name: "policies", path: "policies", Icon: ShieldCheck, permission: undefined, key: "go.policies" },
  { name: "secrets", path: "secrets", Icon: KeyRound, permission: "catalog:write", under: "catalog" },
  { name: "apps", path: "apps", Icon: KeyRound, permission: "apps:read", under: "catalog" },
  { name: "publications", path: "publications", Icon: Wrench, permission: "catalog:read", under: "catalog" },
  { name: "settings", path: "settings", Icon: Settings, permission: undefined, key: "go.settings" }
]

/** Screens that this person may open here and that this build has. */
export const usePlaces = (): ReadonlyArray<Place> => {
  const can = useCan()
  const { routesByPath } = useRouter()
  return useMemo(
    () =>
      places.filter(({ path, permission }) =>
        `/w/$workspace/${path}` in routesByPath && (permission === undefined || can(permission))
      ),
    [can, routesByPath]
  )
}

/** The route of a place; its parameter is the workspace. */
export const placeRoute = ({ path }: Pick<Place, "path">) => `/w/$workspace/${path}` as const

export const placeHref = (workspace: string, { path }: Place): string => `/w/${workspace}/${path}`
