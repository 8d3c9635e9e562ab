import { defineText } from "@countersign/ui/text/catalogue"

/** Text of the app's own screens. */
export const desktopText = defineText({
  app: {
    computer: "This computer",
    hubs: "Hubs",
    device: "This device",
    log: "Connection log",
    settings: "Settings of this app",
    console: "Back to the console",
    documentTitle: (title: string) => `${title} · Countersign`,
    deviceLead:
      "Connected to a hub, this computer runs commands for agents, within rules that only you set, on this computer.",
    logLead: "Each change of a connection, with its cause. This log stays on this computer."
  },
  hubs: "Hubs on this computer",
  lead: "Agents send requests to a hub, and people approve them there. You can add several hubs.",
  firstTitle: "Add a hub",
  firstLead: "Enter the address that you received from the operator of your hub.",
  first: {
    title: "Hub added",
    lead: "Sign in to see its pending approvals and requests.",
    newLead: "This hub has no owner yet. Create the owner's account with your link.",
    signIn: "Sign in",
    setUp: "Create the owner's account",
    connect: "Connect this computer…",
    later:
      "This computer runs no commands until you connect it. You can also do both later, in the menu under your name."
  },
  another: "Add another hub",
  address: "Address of the hub",
  addressHint: "Such as https://hub.example.com, or the link that it printed at its first start",
  notDone: "The app couldn't do this.",
  noState: {
    title: "This window couldn't load",
    lead: "The rest of the app didn't respond. Running commands continue.",
    again: "Reload"
  },
  look: "Check address",
  looking: "Checking…",
  found: "Hub found",
  identity: "Hub id",
  version: "Version",
  url: "Address",
  name: "Name on this computer",
  add: "Add hub",
  adding: "Adding…",
  back: "Back",
  none: "No hub found at this address",
  untrusted: "The certificate of this hub isn't trusted",
  untrustedHow:
    "Ask the operator of the hub for the fingerprint of its authority. Import it only if every character matches.",
  cannotImport: "Only the operator of the hub can fix this certificate. It can't be imported.",
  subject: "Authority",
  fingerprint: "SHA-256",
  imported: "Imported authority, SHA-256",
  showsAnother: "The hub now presents another certificate. Compare it again.",
  reason: "Reason",
  importCa: "Import authority",
  open: "Open",
  shown: "Current",
  remove: "Remove…",
  removeTitle: (name: string) => `Remove ${name} from this computer?`,
  unknownHub: (id: string) => `A link refers to the hub ${id}, which isn't added on this computer. Nothing was opened.`,
  notify: "Notify me of pending approvals and requests on this hub",
  remind: "Remind me when half of the time of an approval or request has passed",
  showPayload: "Show the payload or text of requests in notifications",
  showPayloadHint: "Masked. If off, notifications show only agent, operation, and amount.",
  removeSure: "Remove hub",
  removeLead: "You will be signed out of this hub on this computer. Nothing changes on the hub.",
  removeLent: (device: string) =>
    `This computer is connected to it as ${device} and would continue to run its commands.`,
  takeBackToo: "Also disconnect this computer",
  takeBackTooHint:
    "Running commands end and the device's keys are deleted on this computer. Revoke the device on the hub too.",
  keep: "Keep it",
  limit: "Require a second confirmation above",
  limitHint: "Approvals above this amount are confirmed in a separate window. Empty: never.",
  invalidMoney: "Enter an amount such as 50.00.",
  save: "Save",
  saving: "Saving…",
  saved: "Saved.",
  phases: {
    connecting: "Connecting",
    connected: "Connected",
    offline: (cause: string) => `Not connected (${cause})`,
    signed_out: "Signed out",
    unreadable: "Signed out: the session couldn't be read from the keychain",
    hub_changed: (found: string) => `Stopped: another hub responds at this address (${found})`,
    untrusted_certificate: (code: string) => `Stopped: its certificate is not trusted (${code})`,
    app_too_old: (version: string) => `Stopped: the hub requires version ${version} of this app`
  },
  stopped: "This hub is stopped",
  retry: "Try again"
})
