import { defineText, plural } from "@countersign/ui/text/catalogue"

/** Text of the owner's window. The main process supplies the text of a question. */
export const ownerText = defineText({
  documentTitle: "This computer · Countersign",
  questionTitle: "Allow this? · Countersign",
  asked: "You are asked at this computer",
  whole: "What would run",
  deniedIn: (minutes: string, seconds: string) => `Denied in ${minutes}:${seconds}`,
  behind: (count: number) =>
    plural(count, { one: "# more waits behind this one", other: "# more wait behind this one" }),
  seal: "Seal",
  deny: "Deny",
  allow: "Allow",
  allowing: "Allowing…",
  readOn: "Read it to its end to allow it.",
  wait: "In a moment it can be allowed.",
  ready: "You have seen all of it.",
  refusals: {
    other_question: "This is not what is asked any more. Nothing was allowed.",
    expired: "Its time was over, and it was denied.",
    not_drawn: "It was not on the screen yet. Nothing was allowed.",
    too_soon: "That was too soon. Nothing was allowed.",
    not_read: "It was not read to its end. Nothing was allowed."
  },
  broken: "The app did not answer. Nothing was changed.",

  title: "This computer",
  lentTo: (device: string) => `Lent as ${device} to`,
  unpaired: "It is lent to no hub. It is lent from the console, under This device.",
  pairingProblem: "The pairing cannot be used",
  phases: {
    off: "Off",
    unpaired: "Not lent",
    starting: "Starting",
    online: "Online",
    offline: "Hub not reached",
    paused: "Paused",
    ending: "Ending",
    stopped: "Stopped",
    restarting: "Starting again",
    failed: "Failed"
  },
  running: (count: number) => plural(count, { one: "# command runs", other: "# commands run" }),

  stopped: "Everything is stopped",
  stoppedSince: (time: string) => `Since ${time}. Nothing runs and every question is answered no, until you resume.`,
  unwritten: "It could not be written down: it would not hold over a restart of the app.",
  stop: "Stop everything on this device",
  stopping: "Stopping…",
  stopLead: "Ends all that runs at once. Nothing runs and every question is answered no, until you resume here.",
  resume: "Resume",
  resuming: "Resuming…",

  folders: "Folders open to commands",
  foldersLead: "Commands work below these folders only. Secrets such as .env and .ssh stay closed in them.",
  noFolders: "No folder is open: commands that need one are denied.",
  openFolder: "Open a folder…",
  picking: "Pick a folder…",
  opened: (path: string) => `${path} is open to commands now.`,
  close: "Close",
  closeFolder: (path: string) => `Close ${path}`,
  closed: (path: string) => `${path} is closed to commands.`,
  notThere: "Not there",
  notThereLead: "Without it the agent does not start. Close it, or bring the folder back.",

  rules: "Rules",
  rulesLead: "Of the rules that match, deny wins over ask, and ask over allow. What none names is asked.",
  noRules: "No rule: everything is asked.",
  effects: { allow: "Allow", ask: "Ask", deny: "Deny" },
  anyCall: "any call",
  below: "below",
  setting: (names: string) => `may set ${names}`,
  repeats: "as often as it likes",
  pinned: (digest: string) => `only with SHA-256 ${digest}…:`,
  network: { on: "with network", off: "without network" },
  projectCode: "runs code of the project",
  remove: "Remove",
  removeRule: (rule: string) => `Remove the rule: ${rule}`,
  removed: "The rule is removed.",
  undo: "Undo",
  restored: "It is as it was.",
  saved: "Saved.",
  saving: "Saving…",
  moreRules: (names: string) => `Also set in the file: ${names}.`,

  addRule: "Add a rule",
  effect: "What it does",
  tool: "Tool",
  command: "Command",
  commandHint: "As one would type it. * stands for any text; ** at the end for any further words.",
  commandAllowHint: "Word by word. * only behind a program that merely reads and prints, such as ls.",
  openQuote: "A quote in it does not end.",
  place: "Where",
  anywhere: "Anywhere that is open",
  alsoRepeated: "Also when the very same call comes again and again",
  note: "Note",
  optional: "optional",
  add: "Add",
  cancel: "Cancel",

  asking: "Who is asked",
  askVia: {
    screen: "You, in this window",
    hub: "People of the hub, in their inbox",
    none: "Nobody"
  },
  askViaAbout: {
    screen: "A locked screen, a closed window and five minutes without an answer are a no.",
    hub: "Whoever may approve there decides for this computer.",
    none: "What the rules do not allow is denied."
  },
  lockUntold:
    "A closed window and five minutes without an answer are a no. This system does not tell when its screen is locked: a question may wait behind the lock.",
  sandbox: "Sandbox",
  sandboxes: {
    available: "Where it works",
    required: "Required",
    off: "Off"
  },
  sandboxAbout: {
    works: "Works on this computer. Commands write only to opened folders; your home folder and secrets are hidden.",
    missing: "No sandbox works on this computer. Every command requires your approval, and runs with all your rights.",
    required: "Without one nothing runs.",
    requiredMissing: "None works on this computer: no program runs.",
    off: "Programs run bare, with all that you can do."
  },

  raw: "As JSON",
  rawHide: "Hide the JSON",
  rawLabel: "Rules as JSON",
  rawHint: "The agent's file device.rules.json. It is saved only as the agent can read it.",
  rulesProblem: "The rules cannot be read",
  rulesProblemLead: "Until they are mended nothing runs.",
  save: "Save",
  reload: "Show what is there now",
  atPlace: (path: string, message: string) => `${path}: ${message}`
})
