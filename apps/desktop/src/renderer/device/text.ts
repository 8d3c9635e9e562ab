import { defineText, plural } from "@countersign/ui/text/catalogue"

export const deviceText = defineText({
  unpaired: "This computer isn't connected to a hub.",
  connectLead: (hub: string) =>
    `Agents on ${hub} can then run commands on it. Each command must be allowed by your rules or approved by you here.`,
  noHub: "Add a hub first. This computer connects to the hub that you are signed in to.",
  name: "Name on the hub",
  rulesOfBefore: "Your existing rules apply to this hub too.",
  begin: "Start pairing",
  asking: "Contacting the hub…",
  waiting: "Waiting for an operator",
  waitingLead:
    "An operator confirms the pairing in the console, under Devices. Code and fingerprint must be the same there and here.",
  code: "Code",
  fingerprint: "Fingerprint",
  cancel: "Cancel",
  confirmHere: "Open in the console",
  failed: (reason: string) => `Not paired: ${reason}`,
  phases: {
    off: "Off: no commands are accepted",
    unpaired: "Not connected to a hub",
    starting: "Starting",
    online: "Ready: the hub can send commands",
    offline: "Running, but the hub can't be reached",
    paused: "Paused: no new commands are accepted",
    ending: "Ending: waiting up to half a minute for running commands",
    stopped: "Stopped: nothing runs until you resume",
    restarting: "Ended unexpectedly; restarting",
    failed: "Ended; your action is required"
  },
  pausedUntil: (time: string) => `until ${time}`,
  running: (count: number) =>
    count === 0 ? "No commands running" : plural(count, { one: "# command running", other: "# commands running" }),
  withApp: "Accept commands while this app runs",
  pause: "Pause for 1 h",
  resume: "Resume",
  bringBack: "Reactivate here",
  again: "Try again",
  connectAgain: "Connect again",
  panic: "Stop everything",
  panicHint:
    "Ends all running commands immediately and accepts none until you resume in a separate window. Works without the hub too.",
  stopped: (time: string) => `Stopped since ${time}. No commands run, and every approval request is denied.`,
  unwritten: "This couldn't be saved: it applies only until the app quits.",
  resumeThere: "Resume…",
  questions: (count: number) =>
    plural(count, { one: "# command requires your approval", other: "# commands require your approval" }),
  answer: "Review",
  facts: "On the hub",
  hub: "Hub",
  deviceName: "Name",
  deviceId: "Device id",
  since: "Connected since",
  limits: "Rules and folders",
  limitsLead: "Only you can change rules and folders, in a separate window.",
  edit: "Edit rules and folders…",
  rules: (count: number) => plural(count, { one: "# rule", other: "# rules" }),
  askVia: {
    screen: "Commands without a rule require your approval here",
    hub: "Commands without a rule require approval on the hub",
    none: "Commands without a rule are refused"
  },
  sandbox: { required: "Always in a sandbox", available: "In a sandbox if available", off: "Without a sandbox" },
  roots: "Folders",
  noRoots: "None: commands can't access your files",
  end: "Disconnect",
  unpair: "Disconnect this computer…",
  unpairTitle: "Disconnect this computer?",
  unpairLead:
    "Running commands end and the device's keys are deleted on this computer. Revoke the device on the hub too.",
  unpairSure: "Disconnect",
  keep: "Keep it",
  lines: "Log",
  noLines: "No entries yet."
})
