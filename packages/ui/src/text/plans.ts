import { defineText, plural } from "./catalogue.ts"

/** What a device is about to do, told to the person who says yes or no, and what came of it. */
export const plansText = defineText({
  views: "Views of the plan",
  plan: "In full",
  json: "JSON",
  digest: "You approve exactly this plan: its SHA-256 is the seal. If any part of it changes, the device refuses it.",
  argv: "Program and arguments, word by word",
  directory: "In directory",
  program: "Program",
  programReal: "Which is really",
  environment: "Sets variables",
  noEnvironment: "none beside the device's short list",
  stdin: "Gives it on stdin",
  stdinSize: (count: number) => plural(count, { one: "# character", other: "# characters" }),
  target: "File or directory",
  asked: "As asked for",
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
  by: "Asked by",
  command: "Command",
  other: "Input",
  unreadable:
    "This console does not know this form of plan. It is shown unchanged; reject it if you do not understand it.",
  outcome: {
    taking: "Approved. The device takes it up.",
    running: "Approved, and it runs now.",
    succeeded: "Approved, and it ended well.",
    ended: "Approved, and then: {outcome}."
  }
})
