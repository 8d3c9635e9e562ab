import { defineText, plural } from "./catalogue.ts"

/** The plan of a device command, for the person who decides, and its outcome. */
export const plansText = defineText({
  views: "Views of the plan",
  plan: "Summary",
  json: "JSON",
  digest: "You approve exactly this plan: its SHA-256 is the seal. If any part of it changes, the device refuses it.",
  argv: "Program and arguments, one per line",
  directory: "In directory",
  program: "Program",
  programReal: "Resolves to",
  environment: "Sets variables",
  noEnvironment: "none except the device's short list",
  stdin: "Input on stdin",
  stdinSize: (count: number) => plural(count, { one: "# character", other: "# characters" }),
  target: "File or directory",
  asked: "As requested",
  files: "Files",
  fileHash: "SHA-256",
  filesBound: {
    bubblewrap: "The command uses read-only copies with exactly this content.",
    none:
      "Programs and scripts run from copies with exactly this content. Other files are compared right before the command starts."
  },
  filesOmitted: "Other files",
  omitted: (count: number) =>
    plural(count, {
      one:
        "# more file can still change after you approve: it is too large, closed to commands, or over the limit of files.",
      other:
        "# more files can still change after you approve: they are too large, closed to commands, or over the limit of files."
    }),
  address: "Address",
  content: "Writes",
  sandbox: "Sandbox",
  sandboxes: {
    bubblewrap:
      "Bubblewrap. The system is read-only, home directories and secrets are hidden, and only the opened directories are writable.",
    none: "None. The command can do everything that the device's user can do."
  },
  network: "Network",
  networks: { on: "On", off: "Off" },
  timeout: "Stopped after",
  seconds: (count: number) => plural(count, { one: "# second", other: "# seconds" }),
  device: "Device",
  by: "Requested by",
  command: "Command",
  other: "Input",
  unreadable:
    "This console doesn't support this form of plan and shows it unchanged. Reject it if you don't understand it.",
  outcome: {
    taking: "Approved. The device is starting it.",
    running: "Approved and running.",
    succeeded: "Approved and succeeded.",
    ended: "Approved. Outcome: {outcome}."
  }
})
