/** The layout of a settings section: the sections at the left; on a phone they are a separate page. */
import type { Permission } from "@countersign/domain/auth"
import { Link as RouterLink } from "@tanstack/react-router"
import {
  Bell,
  Building2,
  Info,
  Keyboard,
  KeySquare,
  Link2,
  type LucideIcon,
  MessagesSquare,
  Network,
  ShieldCheck,
  SunMoon,
  UserRound,
  Users,
  Webhook
} from "lucide-react"
import type { ReactNode } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { settingsText as t } from "../text/settings.ts"
import styles from "./settings-frame.module.css"

export interface SettingsFrameProps {
  readonly section: SectionName
  readonly lead?: ReactNode
  readonly action?: ReactNode
  readonly busy?: boolean
  readonly children: ReactNode
}

export const SettingsFrame = ({ action, busy = false, children, lead, section }: SettingsFrameProps) => {
  const workspace = useWorkspaceId()
  return (
    <Page
      title={t.names[section]}
      path={<Link quiet to="/w/$workspace/settings" params={{ workspace }}>{t.title}</Link>}
      action={action}
      busy={busy}
    >
      <div className={`grid items-start ${styles.settings}`}>
        <div className={styles.aside}>
          <SectionList current={section} />
        </div>
        <div className="grid gap-24 min-w-0">
          {lead !== undefined && <p className="type-body text-2">{lead}</p>}
          {children}
        </div>
      </div>
    </Page>
  )
}

/** Channels and webhook endpoints need a permission to be seen. */
const isOffered = (name: SectionName, can: (permission: Permission) => boolean): boolean =>
  (name !== "webhooks" && name !== "channels") || can("workspace:write")

/** With `described` each section has a description, for use as a page. */
export const SectionList = (
  { current, described = false }: { readonly current?: SectionName; readonly described?: boolean }
) => {
  const workspace = useWorkspaceId()
  const can = useCan()
  return (
    <nav aria-label={t.sections} className="grid gap-16">
      {groupNames.map((group) => (
        <section key={group}>
          <h2 className="px-8 pb-4 type-label text-3">{t.groups[group]}</h2>
          <ul>
            {sectionGroups[group].filter((name) => isOffered(name, can)).map((name) => {
              const Icon = sectionIcons[name]
              return (
                <li key={name}>
                  <RouterLink
                    className={`flex items-center gap-12 rounded-control type-body text-2 ${styles.link}`}
                    data-described={described || undefined}
                    to={`/w/$workspace/settings/${name}`}
                    params={{ workspace }}
                    aria-current={name === current ? "page" : undefined}
                  >
                    <Icon aria-hidden size={16} />
                    <span className="grid min-w-0">
                      <span>{t.names[name]}</span>
                      {described && <span className="type-note text-3">{t.what[name]}</span>}
                    </span>
                  </RouterLink>
                </li>
              )
            })}
          </ul>
        </section>
      ))}
    </nav>
  )
}

const sectionGroups = {
  you: ["account", "security", "linked-accounts", "tokens", "appearance", "notifications", "keys"],
  workspace: ["workspace", "members", "channels", "webhooks"],
  hub: ["workspaces", "about"]
} as const

type SectionGroup = keyof typeof sectionGroups
type SectionName = (typeof sectionGroups)[SectionGroup][number]

/** The sections of the settings: `/w/$workspace/settings/<name>`. */
const groupNames = Object.keys(sectionGroups) as ReadonlyArray<SectionGroup>

const sectionIcons: Readonly<Record<SectionName, LucideIcon>> = {
  account: UserRound,
  security: ShieldCheck,
  "linked-accounts": Link2,
  tokens: KeySquare,
  appearance: SunMoon,
  notifications: Bell,
  keys: Keyboard,
  workspace: Building2,
  members: Users,
  channels: MessagesSquare,
  webhooks: Webhook,
  workspaces: Network,
  about: Info
}
