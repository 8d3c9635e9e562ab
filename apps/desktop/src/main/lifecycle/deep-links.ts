/**
 * `countersign://<hub_id>/<screen>[/<id>]` opens a screen of a hub that is configured in this app. A link cannot decide
 * an approval, add a hub, set an address, or carry a token; text that does not have exactly this form is ignored. Spec:
 * reference/desktop.md "E12: links", "E17: one instance".
 */
import { idSuffixPattern } from "@countersign/domain/ids"

export const scheme = "countersign"

/** Much longer than the longest valid link. */
const linkLengthMax = 256

/** The hub's id, a UUID. */
const hubIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u

/** Screens by name; a screen with a prefix requires the id of one record. */
const screens = {
  inbox: undefined,
  requests: undefined,
  agents: undefined,
  devices: undefined,
  catalog: undefined,
  money: undefined,
  usage: undefined,
  audit: undefined,
  standing: undefined,
  approval: "apr",
  request: "req",
  agent: "agt",
  device: "dev"
} as const
export type ScreenName = keyof typeof screens

export interface DeepLink {
  readonly hubId: string
  readonly screen: ScreenName
  /** Always present for `approval`, `request`, `agent`, and `device`. */
  readonly id?: string
}

/** Undefined when the text is not a valid link; then nothing is opened. */
export const parseDeepLink = (text: string): DeepLink | undefined => {
  if (text.length > linkLengthMax || !text.startsWith(`${scheme}://`)) return undefined
  // The pattern rejects queries, fragments, users, ports, percent signs, and dots.
  const parts = text.slice(scheme.length + 3).split("/")
  // Some systems add a trailing slash.
  if (parts.length > 1 && parts.at(-1) === "") parts.pop()
  const [hubId = "", screen = "inbox", id, ...more] = parts
  if (!hubIdPattern.test(hubId) || more.length > 0 || !Object.hasOwn(screens, screen)) return undefined
  const name = screen as ScreenName
  const prefix = screens[name]
  if (prefix === undefined) return id === undefined ? { hubId, screen: name } : undefined
  return id !== undefined && new RegExp(`^${prefix}_${idSuffixPattern}$`, "u").test(id)
    ? { hubId, screen: name, id }
    : undefined
}

export const deepLinkOf = ({ hubId, id, screen }: DeepLink): string =>
  `${scheme}://${hubId}/${screen}${id === undefined ? "" : `/${id}`}`

/** Whether the argument has our scheme; its content may still be invalid. */
export const isLink = (arg: string): boolean => arg.toLowerCase().startsWith(`${scheme}:`)

/** The link in the arguments of a first or second start. Several arguments with our scheme count as none. */
export const deepLinkIn = (args: ReadonlyArray<string>): DeepLink | undefined => {
  const links = args.filter(isLink)
  return links.length === 1 ? parseDeepLink(links[0]!) : undefined
}

export type LinkOutcome<P> =
  | { readonly kind: "open"; readonly profile: P; readonly link: DeepLink }
  /** The app shows its window with a message; it never offers to add the hub. */
  | { readonly kind: "unknown_hub"; readonly hubId: string }

/** If several profiles use the hub (two people, for example), the current one is preferred. */
export const resolveDeepLink = <P extends { readonly id: string; readonly hub_id: string }>(
  link: DeepLink,
  profiles: ReadonlyArray<P>,
  current: string | null
): LinkOutcome<P> => {
  const known = profiles.filter(({ hub_id }) => hub_id === link.hubId)
  const profile = known.find(({ id }) => id === current) ?? known[0]
  return profile === undefined ? { kind: "unknown_hub", hubId: link.hubId } : { kind: "open", profile, link }
}

const folders: Partial<Record<ScreenName, string>> = {
  approval: "approvals",
  request: "requests",
  agent: "agents",
  device: "devices"
}

/** The console's path; its first page when no workspace was open there before. */
export const screenPath = ({ id, screen }: Pick<DeepLink, "id" | "screen">, workspace: string | undefined): string =>
  workspace === undefined
    ? "/"
    : id === undefined
    ? `/w/${workspace}/${screen}`
    : `/w/${workspace}/${folders[screen] ?? screen}/${id}`

/** The console's inbox with an agent request or a budget request open. */
export const inboxRowPath = ({ id, workspace }: { readonly id: string; readonly workspace: string }): string =>
  `/w/${workspace}/inbox?open=${encodeURIComponent(id)}`
