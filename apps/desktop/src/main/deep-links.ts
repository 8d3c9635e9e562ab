/**
 * `countersign://<hub_id>/<screen>[/<id>]`: names a hub that this app knows and a screen of it, and can only open that. None
 * decides, adds a hub, sets an address or carries a token: whatever is not exactly of this form is nothing. Spec: E12, E17.
 */
export const scheme = "countersign"

/** Much longer than the longest there is. */
const linkLengthMax = 256

/** The hub's own, a UUID. */
const hubIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u
const idTail = "[0-7][0-9a-hjkmnp-tv-z]{25}"

/** Screens by name; those with a prefix take the id of one thing. */
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
  /** Of `approval`, `request`, `agent`, `device`, always. */
  readonly id?: string
}

/** None: it is no link of ours, and nothing is opened. */
export const parseDeepLink = (text: string): DeepLink | undefined => {
  if (text.length > linkLengthMax || !text.startsWith(`${scheme}://`)) return undefined
  // Without queries, fragments, users, ports, percent signs, dots and anything else that a path may carry.
  const parts = text.slice(scheme.length + 3).split("/")
  // Some systems add a slash.
  if (parts.length > 1 && parts.at(-1) === "") parts.pop()
  const [hubId = "", screen = "inbox", id, ...more] = parts
  if (!hubIdPattern.test(hubId) || more.length > 0 || !Object.hasOwn(screens, screen)) return undefined
  const name = screen as ScreenName
  const prefix = screens[name]
  if (prefix === undefined) return id === undefined ? { hubId, screen: name } : undefined
  return id !== undefined && new RegExp(`^${prefix}_${idTail}$`, "u").test(id) ? { hubId, screen: name, id } : undefined
}

export const deepLinkOf = ({ hubId, id, screen }: DeepLink): string =>
  `${scheme}://${hubId}/${screen}${id === undefined ? "" : `/${id}`}`

/** Looks like one of ours, whatever it says. */
export const isLink = (arg: string): boolean => arg.toLowerCase().startsWith(`${scheme}:`)

/** Of a start's arguments, the first's and a second's alike. More than one that looks like a link is none. */
export const deepLinkIn = (args: ReadonlyArray<string>): DeepLink | undefined => {
  const looking = args.filter(isLink)
  return looking.length === 1 ? parseDeepLink(looking[0]!) : undefined
}

export type LinkOutcome<P> =
  | { readonly kind: "open"; readonly profile: P; readonly link: DeepLink }
  /** The app shows itself and says so; it never offers to add the hub. */
  | { readonly kind: "unknown_hub"; readonly hubId: string }

/** Of two profiles of one hub, as of two persons, the one that is shown. */
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

/** The console's own path; without a workspace that was open there before, its first page. */
export const screenPath = ({ id, screen }: Pick<DeepLink, "id" | "screen">, workspace: string | undefined): string =>
  workspace === undefined
    ? "/"
    : id === undefined
    ? `/w/${workspace}/${screen}`
    : `/w/${workspace}/${folders[screen] ?? screen}/${id}`
