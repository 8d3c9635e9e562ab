/** The sections of the settings: `/w/$workspace/settings/<name>`. */
import {
  Bell,
  Building2,
  Info,
  Keyboard,
  KeySquare,
  type LucideIcon,
  Network,
  SunMoon,
  UserRound,
  Users
} from "lucide-react"

export const sectionGroups = {
  you: ["account", "tokens", "appearance", "notifications", "keys"],
  workspace: ["workspace", "members"],
  hub: ["workspaces", "about"]
} as const

export type SectionGroup = keyof typeof sectionGroups
export type SectionName = (typeof sectionGroups)[SectionGroup][number]

export const groupNames = Object.keys(sectionGroups) as ReadonlyArray<SectionGroup>

export const sectionIcons: Readonly<Record<SectionName, LucideIcon>> = {
  account: UserRound,
  tokens: KeySquare,
  appearance: SunMoon,
  notifications: Bell,
  keys: Keyboard,
  workspace: Building2,
  members: Users,
  workspaces: Network,
  about: Info
}
