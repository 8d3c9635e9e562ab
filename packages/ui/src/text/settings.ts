import type { Permission, Role } from "@countersign/domain/auth"
import { defineText, plural } from "./catalogue.ts"
import { roleNames, rolesWithArticle } from "./roles.ts"

/** What each permission lets one do: for roles and for the scopes of a token. */
const permissions: Readonly<Record<Permission, string>> = {
  "agents:read": "See agents, their limits, and their spending",
  "agents:write": "Make, change, freeze and delete agents; bind services without caps",
  "agents:keys": "Make new keys of agents",
  "requests:read": "See requests and their outcomes",
  "requests:write": "Estimate and cancel requests",
  "approvals:read": "See pending and past approvals",
  "approvals:decide": "Approve, reject and edit; standing approvals; freeze",
  "audit:read": "Read, verify and export the audit log",
  "usage:read": "See usage and the ledger",
  "budgets:read": "See the balance and budgets",
  "budgets:write": "Set caps, budgets and thresholds; settle running requests",
  "billing:write": "Add money to the wallet",
  "members:read": "See the members of the workspace",
  "members:write": "Change roles and remove people",
  "catalog:read": "See services and prices",
  "catalog:write": "Add and change services; store secrets",
  "tokens:write": "Make and revoke one's own tokens",
  "workspace:write": "Change the workspace's settings and policies",
  "workflows:read": "See workflows",
  "workflows:write": "Change workflows",
  "workflows:run": "Run workflows",
  "publish:review": "Review publications",
  "storage:read": "Read stored objects",
  "storage:write": "Write stored objects",
  "knowledge:read": "Query knowledge",
  "knowledge:write": "Change knowledge",
  "devices:read": "See devices",
  "devices:write": "Pair and command devices",
  "devices:grant_shell": "Grant a device its shell",
  "apps:read": "See connected apps",
  "apps:write": "Connect apps",
  "chat:read": "Read chats",
  "chat:write": "Write in chats",
  "triggers:read": "See triggers",
  "triggers:write": "Change triggers",
  "schedules:read": "See schedules",
  "schedules:write": "Change schedules",
  "promo:write": "Make promo codes"
}

const roleWords: Readonly<Record<Role, string>> = {
  owner: "Everything, including adding owners",
  admin: "Everything except adding and removing owners",
  operator: "Decides approvals; sees everything",
  member: "Creates agents; sees only their own",
  viewer: "Sees everything, changes nothing"
}

export const settingsText = defineText({
  title: "Settings",
  sections: "Settings",
  groups: { you: "You", workspace: "This workspace", hub: "This hub" },
  names: {
    account: "Account and sessions",
    security: "Security",
    "linked-accounts": "Linked accounts",
    tokens: "Access tokens",
    appearance: "Appearance",
    notifications: "Notifications",
    keys: "Keyboard",
    workspace: "Workspace",
    members: "People and roles",
    channels: "Channels",
    webhooks: "Webhook endpoints",
    workspaces: "Workspaces",
    about: "About"
  },
  what: {
    account: "Your name, time zone, password, and sessions",
    security: "Second factors and recovery codes",
    "linked-accounts": "Slack and Discord accounts that decide in your name",
    tokens: "For programs that act as you",
    appearance: "Theme, contrast, density, times",
    notifications: "Events, email, browsers, quiet hours, and sound",
    keys: "Change or disable shortcuts",
    workspace: "Name, thresholds, expiry, freeze",
    members: "Members, invites, and the permissions of each role",
    channels: "Approvals in Slack and Discord",
    webhooks: "Events for your own systems",
    workspaces: "All of yours, and a new one",
    about: "Version, address, reference"
  },
  permissions,
  roleWords,
  roles: roleNames,
  asking: "Contacting the hub…",
  more: "More",

  account: {
    profile: "Profile",
    name: "Name",
    nameHint: "Shown to others. Without a name, your email is shown.",
    timeZone: "Time zone",
    timeZoneHint: (browser: string) =>
      `All times are shown in this zone. Empty: your browser's, ${browser}. Budgets and usage always count in UTC.`,
    timeZoneUnknown: "Choose a time zone from the list, such as Europe/Berlin.",
    saveProfile: "Save profile",
    profileSaved: "Profile saved.",
    profileFailed: "Your profile was not saved.",
    profileUnchanged: "Nothing was changed.",
    email: "E-mail",
    id: "Id",
    role: (workspace: string) => `Role in ${workspace}`,
    password: "Password",
    passwordWhat: "A new password ends every other session of yours. Tokens and this session go on.",
    current: "Current password",
    next: "New password",
    wrong: "That is not your current password.",
    choose: "Choose one that fits the rule.",
    change: "Change the password",
    failed: "The password was not changed.",
    unchanged: "The old one still holds.",
    changed: "The password is changed. Every other session has ended.",
    sessions: "Where you are signed in",
    sessionsWhat: "A session ends by itself when it was not used for 14 days, and after 90 days.",
    thisOne: "this one",
    lastSeen: "Last used {time}",
    since: "since {time}",
    until: "ends {time} if not used",
    unknownAgent: "A program",
    methods: { password: "by password", oidc: "by single sign-on", setup: "by a setup or invite link" },
    factors: { passkey: "with a passkey", totp: "with an authenticator app", recovery_code: "with a recovery code" },
    on: (browser: string, system: string) => `${browser} on ${system}`,
    end: "End",
    endOf: (where: string) => `End the session: ${where}`,
    endOthers: "End all others",
    endOthersTitle: "End every other session of yours?",
    endOthersWhat: "All other browsers have to sign in again. This session and your tokens stay.",
    endFailed: "The session was not ended.",
    endOthersFailed: "Not all sessions were ended.",
    ended: (count: number) => plural(count, { one: "# session ended.", other: "# sessions ended." }),
    alone: "You are signed in here only."
  },

  notifications: {
    tab: "While a tab is open",
    what:
      "These settings apply to this browser only. The number of pending approvals is always shown in the tab's title and icon.",
    notify: "Desktop notifications",
    notifyWhat: "When an approval arrives while this tab is open but hidden.",
    denied: "This browser blocks notifications from this site. Allow them in its site settings, then turn this on.",
    unsupported: "This browser can't show notifications from this site. They require HTTPS or localhost.",
    sound: "Sound",
    soundWhat: "A short tone when an approval arrives.",
    play: "Play the tone"
  },

  tokens: {
    what:
      "A token lets a program act as you in this workspace, with the scopes you pick, never with more than your role has.",
    make: "New token",
    signIn: (agent: string) => `MCP sign-in for the agent ${agent}`,
    empty: "You have no tokens in this workspace.",
    noRight: "Your role here makes no tokens.",
    name: "Name",
    namePlaceholder: "Nightly report",
    nameNeeded: "Enter its purpose.",
    expires: "Ends after",
    days: (count: number) => plural(count, { one: "# day", other: "# days" }),
    scopes: "Permissions",
    scopesNeeded: "Pick at least one.",
    readOnly: "All that reads",
    none: "Nothing",
    beyond: "Your role does not have it",
    create: "Create token",
    failed: "The token wasn't created.",
    mintedTitle: "Your token, shown once",
    closeWarning: "This token can't be shown again. Close again if you have copied it.",
    minted: "Copy it now: the hub keeps only its fingerprint. Anyone with the token can act as you, within its scopes.",
    tokenLabel: "Token",
    copy: "Copy the token",
    tryLabel: "A command to try it with",
    tryCopy: "Copy the command",
    kept: "I have it",
    on: "On",
    off: "Off",
    toggle: (name: string) => `${name}: on`,
    toggleFailed: "The token wasn't changed.",
    revoke: "Revoke",
    revokeOf: (name: string) => `Revoke ${name}`,
    revokeTitle: (name: string) => `Revoke ${name}?`,
    revokeWhat: "Programs that use it are refused from now on. This can't be undone; create a new token instead.",
    revokeFailed: "The token was not revoked.",
    unchanged: "It works as before.",
    revoked: (name: string) => `${name} is revoked.`,
    ends: "ends {time}",
    ended: "ended {time}",
    used: "last used {time}",
    usedFrom: "last used {time} from {address}",
    unused: "never used",
    scopeCount: (count: number) => plural(count, { one: "# scope", other: "# scopes" })
  },

  workspace: {
    general: "General",
    name: "Name",
    nameNeeded: "A workspace has a name.",
    spending: "Spending",
    threshold: "Approval threshold",
    thresholdWhat: "A request that costs more requires approval, unless its agent or binding sets another threshold.",
    approvals: "Approvals",
    life: "An approval expires after",
    lifeWhat: "1 minute to 30 days. After that, the request is blocked. A policy can set its own time.",
    lifeUnit: "Unit",
    units: { minutes: "minutes", hours: "hours", days: "days" },
    stepUp: "Require confirmation above",
    stepUpOn: "Require the password or second factor again for larger amounts",
    stepUpWhat: "Approving more than this requires a session that was confirmed in the last five minutes.",
    secondFactor: "Second factor",
    secondFactorWhat:
      "People without one can add it under Security. Until then, they can't decide, or can't use this workspace.",
    secondFactors: { off: "Optional", deciders: "Required to decide approvals", all: "Required of everyone" },
    duties: "Separation of duties",
    dutiesWhat: "People can't approve requests of agents that they own, or requests that they created by editing.",
    keeping: "Alerts and retention",
    alerts: "Alert levels, in percent of a budget",
    alertsWhat:
      "Up to ten, increasing, such as 50, 80, 100. The console shows an alert when an agent or an operation has used that much of its cap. Empty: no alerts.",
    alertsInvalid: "Whole percentages from 1 to 1000, increasing, separated by commas",
    retention: "Keep contents of requests for",
    retentionUnit: "days",
    retentionWhat:
      "Empty: without limit. Payloads and results of requests are removed permanently this long after they ended; amounts, digests, audit log, and ledger stay.",
    deviceRetention: "Keep contents of device commands for",
    deviceRetentionWhat:
      "Input, plan, result, and output of a device command are deleted this many days after it ended. The command itself and its audit log stay.",
    deviceRetentionInvalid: "A whole number from 1 to 3650",
    amountInvalid: "An amount such as 25.00",
    numberInvalid: "A whole number within the limits",
    save: "Save changes",
    revert: "Undo",
    saved: "Saved.",
    failed: "Nothing was saved.",
    unchanged: "The workspace is unchanged.",
    readOnly: "Only owners and admins can change these settings.",
    freezeTitle: "Spending freeze",
    freezeWhat: "Stops all spending of this workspace immediately: every request is blocked until you lift the freeze.",
    frozenWhat: "All spending of this workspace is stopped.",
    freeze: "Freeze spending",
    lift: "Lift freeze",
    id: "Workspace id"
  },

  members: {
    people: "People",
    you: "you",
    since: "since {time}",
    role: (name: string) => `Role of ${name}`,
    remove: "Remove",
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name} from this workspace?`,
    removeWhat: "Their sessions and tokens in this workspace end at once. Their entries stay in the audit log.",
    removeAndTransfer: "Remove and transfer",
    transfer: "Transfer agents, devices, apps, and workflows to",
    transferNobody: "No one: pause agents, drain devices, disconnect apps",
    transferKeys: "Agent keys stay valid. Rotate them if this person has copies.",
    effects: "Effects",
    ownsNothing: "They own no agents, devices, or apps here.",
    agentsPause: (count: number) =>
      plural(count, {
        one: "# agent is paused. Its requests fail until you activate it.",
        other: "# agents are paused. Their requests fail until you activate them."
      }),
    agentsMove: (count: number) =>
      plural(count, {
        one: "# agent is transferred and keeps working.",
        other: "# agents are transferred and keep working."
      }),
    devicesDrain: (count: number) =>
      plural(count, {
        one: "# device is drained. It finishes its commands and takes no new ones.",
        other: "# devices are drained. They finish their commands and take no new ones."
      }),
    devicesMove: (count: number) =>
      plural(count, {
        one: "# device is transferred and keeps working.",
        other: "# devices are transferred and keep working."
      }),
    appsMove: (count: number) =>
      plural(count, {
        one: "# connected app is transferred and keeps working.",
        other: "# connected apps are transferred and keep working."
      }),
    appsEnd: (count: number) =>
      plural(count, { one: "# connected app is disconnected.", other: "# connected apps are disconnected." }),
    workflowsMove: (count: number) =>
      plural(count, { one: "# workflow is transferred.", other: "# workflows are transferred." }),
    workflowsLeft: (count: number) =>
      plural(count, {
        one: "# workflow is left to owners and admins.",
        other: "# workflows are left to owners and admins."
      }),
    standingEnd: (count: number) =>
      plural(count, {
        one: "# standing approval they made is revoked.",
        other: "# standing approvals they made are revoked."
      }),
    standing: (agent: string, operation: string, amount: string) => `${agent}, ${operation}, up to ${amount}`,
    pendingStay: (count: number) =>
      plural(count, {
        one: "# pending approval of their agents stays pending.",
        other: "# pending approvals of their agents stay pending."
      }),
    policiesName: (count: number) =>
      plural(count, {
        one: "# policy rule still names them as an approver. Change it, or nobody may be able to decide.",
        other: "# policy rules still name them as an approver. Change them, or nobody may be able to decide."
      }),
    teamsLeft: (count: number) =>
      plural(count, {
        one: "They leave # team. An allocation returns to the team's pool.",
        other: "They leave # teams. Allocations return to the teams' pools."
      }),
    team: (team: string, allocation: string) => `${team}, allocation of ${allocation}`,
    holdsOpen: (held: string) =>
      `Requests hold ${held} of this person's allocations. They can be removed when those requests have ended.`,
    tokensEnd: (count: number) => plural(count, { one: "# access token ends.", other: "# access tokens end." }),
    viewsDeleted: (count: number) =>
      plural(count, { one: "# private saved view is deleted.", other: "# private saved views are deleted." }),
    viewsStay: (count: number) =>
      plural(count, { one: "# shared saved view stays.", other: "# shared saved views stay." }),
    others: (count: number) => plural(count, { one: "and # other", other: "and # others" }),
    removed: (name: string) => `${name} is removed.`,
    removeFailed: "The person wasn't removed.",
    changeTitle: (name: string, role: string) => `Make ${name} ${role}?`,
    change: "Change the role",
    changeFailed: "The role was not changed.",
    unchanged: "It is as it was.",
    changed: (name: string, role: string) => `${name} is now ${role}.`,
    lastOwner: "A workspace must have at least one owner. Make another person an owner first.",
    roleWithArticle: rolesWithArticle,
    rolesTitle: "Permissions of each role",
    may: "May",
    pickRole: "Role",
    yes: "yes",
    no: "no",
    own: "Members can do this only with their own agents, devices, and requests.",
    noRight: "Your role cannot see the members of this workspace."
  },

  workspaces: {
    yours: "Your workspaces",
    what: "Each has its own agents, money, people and log. A tab stays in the one that its address names.",
    here: "this one",
    frozen: "frozen",
    open: "Open",
    openOf: (name: string) => `Open ${name}`,
    newTitle: "New workspace",
    newWhat: "You become its owner. It starts empty: no agents, no money.",
    name: "Name",
    nameNeeded: "Give it a name.",
    create: "Create workspace",
    failed: "No workspace was created.",
    unchanged: "Yours are as they were.",
    noRight: "Your role here makes no workspaces. Ask an owner or an admin."
  },

  appearance: {
    what: "For you, in this browser. It shows at once.",
    theme: "Theme",
    themes: { system: "As the system", light: "Light", dark: "Dark" },
    contrast: "Contrast",
    contrasts: { system: "As the system", standard: "Standard", more: "High contrast" },
    contrastWhat: "High contrast draws lines instead of tints, and text at 8.8 to 1 or more.",
    density: "Density",
    densities: { system: "As the device", compact: "Compact", standard: "Standard", touch: "Touch" },
    densityWhat: {
      system: "Touch where a finger points, else standard",
      compact: "More rows",
      standard: "Rows of 36 px",
      touch: "Rows and buttons for fingers"
    },
    rail: "Narrow rail",
    railWhat: "Only the pictures of places; their names come on hover and focus.",
    times: "Absolute times",
    timesWhat: "Show the date and time instead of “4 min ago”.",
    sample: "How it looks",
    sampleRows: {
      agent: "Agent",
      amount: "Amount",
      state: "State",
      scout: "Scout",
      bot: "Concierge",
      waiting: "pending",
      executed: "executed",
      blocked: "blocked"
    }
  },

  keys: {
    what: "For you, in this browser. Keys do nothing while you type in a field."
  },

  about: {
    hub: "Hub",
    version: "Version",
    hubId: "Hub id",
    api: "API address",
    time: "Hub time",
    reading: "To read",
    docs: "Documentation",
    openapi: "OpenAPI document",
    agentDocs: "Discovery document for agents (JSON)",
    firstSteps: "First steps",
    firstStepsWhat: "From an agent to an approved request, in this workspace",
    licence: "Countersign is free software under the Apache License 2.0."
  }
})
