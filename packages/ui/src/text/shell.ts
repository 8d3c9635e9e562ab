import { defineText, plural } from "./catalogue.ts"

export const shellText = defineText({
  product: "Countersign",
  skip: "Skip to content",
  navigation: "Main",
  places: {
    start: "First steps",
    inbox: "Inbox",
    requests: "Requests",
    chat: "Chat",
    agents: "Agents",
    families: "Families of agents",
    tasks: "Delegated tasks",
    teams: "Teams",
    workflows: "Workflows",
    runs: "Runs",
    schedules: "Schedules",
    triggers: "Triggers",
    devices: "Devices",
    catalog: "Catalog",
    storage: "Storage",
    knowledge: "Knowledge",
    money: "Money",
    usage: "Usage",
    audit: "Audit",
    policies: "Policies",
    standing: "Standing approvals",
    secrets: "Secrets",
    apps: "Apps",
    publications: "Publications",
    settings: "Settings"
  },
  more: "More",
  search: "Search or act",
  narrow: "Make the rail narrow",
  wide: "Make the rail wide",
  workspace: "Workspace",
  filters: "Filters",
  workspaces: "Workspaces",
  frozenMark: "frozen",
  role: { owner: "Owner", admin: "Admin", operator: "Operator", member: "Member", viewer: "Viewer" },
  waiting: (count: number) => plural(count, { one: "# pending approval", other: "# pending approvals" }),
  waitingWithRequests: (count: number) =>
    plural(count, { one: "# pending request", other: "# pending approvals and requests" }),
  documentTitle: (title: string, workspace: string) => `${title} · ${workspace} · Countersign`,
  /** First, where a browser's narrow tab still shows it. */
  documentCount: (waiting: string, title: string) => `(${waiting}) ${title}`,
  loading: "Loading",
  undo: {
    undo: "Undo",
    sendsIn: (seconds: number) => plural(seconds, { one: "Sent in # second", other: "Sent in # seconds" })
  },
  person: "Appearance, keys, sign out",
  appearance: {
    theme: "Theme",
    themes: { system: "As the system", light: "Light", dark: "Dark" },
    contrast: "Contrast",
    contrasts: { system: "As the system", standard: "Standard", more: "High" },
    density: "Density",
    densities: { system: "As the device", compact: "Compact", standard: "Standard", touch: "Touch" }
  },
  account: "Account and sessions",
  keys: "Keyboard",
  signOut: "Sign out",
  connection: { connecting: "Connecting", online: "Live", offline: "Not connected", failing: "The hub is failing" },
  connectionHint: {
    connecting: "Connecting to the hub's event stream.",
    online: "Changes appear here as they happen.",
    offline: "This screen may be out of date. Decisions are off.",
    failing: "The hub answers with errors. This screen may be out of date. Decisions are off."
  },
  offline: {
    label: "Connection",
    since: (since: string) => `Not connected since ${since}, trying now`,
    retryIn: (since: string, seconds: number) => `Not connected since ${since}, trying in ${seconds} s`,
    spoken: "Not connected to the hub. Decisions are off until it answers.",
    retry: "Retry"
  },
  failing: {
    since: (since: string) => `The hub has been failing since ${since}, trying now`,
    retryIn: (since: string, seconds: number) => `The hub has been failing since ${since}, trying in ${seconds} s`,
    spoken: "The hub answers with errors. Decisions are off until it works again."
  },
  standing: {
    clock:
      "The hub's clock is wrong, so requests are declined. Correct the time on the hub's machine and its database server.",
    frozen: "All spending of this workspace is frozen. Nothing is executed until the freeze is lifted.",
    lift: "Lift freeze",
    standing: (count: number) =>
      plural(count, {
        one: "# standing approval lets requests pass unseen.",
        other: "# standing approvals let requests pass unseen."
      }),
    review: "Review",
    allowAll: (name: string) => `The policy “${name}” lets every request pass unseen.`,
    policy: "Open the policies",
    hide: "Hide"
  },
  freeze: {
    act: "Freeze spending",
    lift: "Lift freeze",
    title: (workspace: string) => `Freeze all spending of ${workspace}?`,
    what:
      "From the hub's answer on, every request of every agent here is blocked. Running requests settle as usual. You can lift the freeze at any time.",
    liftTitle: (workspace: string) => `Let ${workspace} spend again?`,
    liftWhat:
      "Requests are decided by policy, budget and people again. Requests that were blocked during the freeze stay blocked.",
    failed: "The freeze was not changed.",
    done: (workspace: string) => `${workspace} is frozen.`,
    lifted: (workspace: string) => `${workspace} may spend again.`,
    forbidden: "You don't have permission to do this here."
  },
  stepUp: {
    title: "Confirm that it's you",
    what: "This needs your password or your second factor again. Once confirmed, you have five minutes.",
    password: "Password",
    provider: "Open the identity provider",
    providerWhat: "This needs a fresh sign-in at your identity provider. Once confirmed, you have five minutes.",
    providerWaiting: "Waiting for the sign-in in the other window…",
    confirm: "Confirm",
    failed: "The session was not confirmed."
  }
})
