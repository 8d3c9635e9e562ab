import { defineText, plural } from "@countersign/ui/text/catalogue"

/** Text of the owner's window. The main process supplies the text of a question. */
export const ownerText = defineText({
  documentTitle: "This computer · Countersign",
  questionTitle: "Allow this? · Countersign",
  asked: "A command on this computer requires your approval",
  whole: "Command to run",
  deniedIn: (minutes: string, seconds: string) => `Denied in ${minutes}:${seconds}`,
  behind: (count: number) => plural(count, { one: "# more is queued", other: "# more are queued" }),
  seal: "Seal",
  deny: "Deny",
  allow: "Allow",
  allowing: "Allowing…",
  readOn: "Read to the end to allow this.",
  wait: "You can allow this in a moment.",
  ready: "You have seen all of it.",
  refusals: {
    other_question: "This request has been replaced. Nothing was allowed.",
    expired: "The request expired and was denied.",
    not_drawn: "The request wasn't visible yet. Nothing was allowed.",
    too_soon: "That was too soon. Nothing was allowed.",
    not_read: "The request wasn't read to the end. Nothing was allowed."
  },
  broken: "The app didn't respond. Nothing was changed.",

  title: "This computer",
  connectedTo: (device: string) => `Connected as ${device} to`,
  unpaired: "This computer isn't connected to a hub. Connect it in the console, under This device.",
  pairingProblem: "The pairing can't be used",
  phases: {
    off: "Off",
    unpaired: "Not connected",
    starting: "Starting",
    online: "Online",
    offline: "Hub unreachable",
    paused: "Paused",
    ending: "Ending",
    stopped: "Stopped",
    restarting: "Restarting",
    failed: "Failed"
  },
  running: (count: number) => plural(count, { one: "# command running", other: "# commands running" }),

  stopped: "Everything is stopped",
  stoppedSince: (time: string) =>
    `Since ${time}. No commands run and every approval request is denied until you resume.`,
  unwritten: "This couldn't be saved: it ends when the app restarts.",
  stop: "Stop everything on this device",
  stopping: "Stopping…",
  stopLead:
    "Ends all running commands immediately. No commands run and every approval request is denied until you resume here.",
  resume: "Resume",
  resuming: "Resuming…",

  folders: "Folders open to commands",
  foldersLead: "Commands can access only these folders. Files with secrets, such as .env and .ssh, stay closed.",
  noFolders: "No folder is open. Commands that need one are denied.",
  openFolder: "Open a folder…",
  picking: "Pick a folder…",
  opened: (path: string) => `${path} is now open to commands.`,
  close: "Close",
  closeFolder: (path: string) => `Close ${path}`,
  closed: (path: string) => `${path} is closed to commands.`,
  notThere: "Missing",
  notThereLead: "The agent doesn't start without this folder. Close it, or restore the folder.",

  rules: "Rules",
  rulesLead:
    "If several rules match, deny wins over ask, and ask over allow. Commands without a rule require approval.",
  noRules: "No rules. Every command requires approval.",
  effects: { allow: "Allow", ask: "Ask", deny: "Deny" },
  anyCall: "any call",
  below: "below",
  setting: (names: string) => `may set ${names}`,
  repeats: "any number of times",
  pinned: (digest: string) => `only with SHA-256 ${digest}…:`,
  network: { on: "with network", off: "without network" },
  projectCode: "runs code of the project",
  remove: "Remove",
  removeRule: (rule: string) => `Remove the rule: ${rule}`,
  removed: "Rule removed.",
  undo: "Undo",
  restored: "Rule restored.",
  saved: "Saved.",
  saving: "Saving…",
  moreRules: (names: string) => `Also set in the file: ${names}.`,

  addRule: "Add a rule",
  effect: "Effect",
  tool: "Tool",
  command: "Command",
  commandHint: "As typed in a terminal. * matches any text; ** at the end matches any further arguments.",
  commandAllowHint: "One argument at a time. * only after programs that only read and print, such as ls.",
  openQuote: "A quote isn't closed.",
  place: "Where",
  anywhere: "Any open folder",
  alsoRepeated: "Also for repeated identical calls",
  note: "Note",
  optional: "optional",
  add: "Add",
  cancel: "Cancel",

  asking: "Approval by",
  askVia: {
    screen: "You, in this window",
    hub: "People of the hub, in their inbox",
    none: "No person"
  },
  askViaAbout: {
    screen: "A locked screen, a closed window, and five minutes without an answer deny the command.",
    hub: "The hub's approvers decide for this computer.",
    none: "Commands that the rules don't allow are denied."
  },
  lockUntold:
    "A closed window and five minutes without an answer deny the command. This system doesn't report a locked screen, so a question can be shown behind the lock.",
  sandbox: "Sandbox",
  sandboxes: {
    available: "If available",
    required: "Required",
    off: "Off"
  },
  sandboxAbout: {
    works:
      "Available on this computer. Commands write only to opened folders; your home folder and secrets are hidden.",
    missing:
      "No sandbox is available on this computer. Every command requires your approval, and runs with all your rights.",
    required: "Commands don't run without one.",
    requiredMissing: "No sandbox is available on this computer: no command runs.",
    off: "Programs run without a sandbox, with all your rights."
  },

  raw: "As JSON",
  rawHide: "Hide the JSON",
  rawLabel: "Rules as JSON",
  rawHint: "The agent's file device.rules.json. It is saved only if the agent can read it.",
  rulesProblem: "The rules can't be read",
  rulesProblemLead: "No commands run until the rules are fixed.",
  save: "Save",
  reload: "Reload",
  atPlace: (path: string, message: string) => `${path}: ${message}`
})
