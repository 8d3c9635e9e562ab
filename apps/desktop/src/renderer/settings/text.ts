import { defineText, plural } from "@countersign/ui/text/catalogue"

export const settingsText = defineText({
  setAside: (path: string) => `Your settings could not be read and begin anew. What was there is kept as ${path}.`,
  saved: "Saved.",
  save: "Save",
  start: "Start",
  autostart: "Start with this computer",
  autostartGone:
    "The system will not start it: the entry was removed or switched off there. Switch this off and on to set it again.",
  autostartFailed: (problem: string) => `This could not be set: ${problem}`,
  hidden: "Then begin in the tray, without a window",
  hiddenHint: "Counts when it starts with this computer. Started by hand, it shows its window.",
  noTray: "This desktop shows no tray: the window opens all the same, and closing it ends the app.",
  shortcuts: "Shortcuts that work everywhere",
  open: "Open Countersign",
  panic: "Stop everything on this device",
  shortcutHint: "Such as CommandOrControl+Shift+K. Empty: none.",
  states: {
    off: "",
    works: "It works.",
    taken: "Another program has it, or the system does not know it.",
    not_here: "This desktop (Wayland) gives no program such a shortcut."
  },
  notices: "Notifications",
  notify: "Notify me of what waits, on all hubs",
  test: "Show a test notification",
  testShown: "It was handed to the system. If you saw none, the system keeps them back: look at its own settings.",
  noticeProblems: {
    none_here: "This system shows no notifications. The tray and the window still count what waits.",
    failed: "The system refused the last notification. Look at its own settings."
  },
  quiet: "Quiet hours",
  quietLead: "Nothing rings then. What still waits when they end is told at once.",
  from: "From",
  to: "To",
  days: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].join(" "),
  onDays: "On",
  addQuiet: "Add quiet hours",
  removeQuiet: (from: string, to: string) => `Remove ${from} to ${to}`,
  quietWords: (days: string, from: string, to: string) => `${days}, ${from} to ${to}`,
  everyDay: "Every day",
  updates: "Updates",
  version: (version: string) => `This is version ${version}.`,
  feed: "Address of the updates",
  feedHint: "Whoever gave you this app tells it. Empty: the package's own, or none.",
  look: "Look now",
  install: "Install it",
  installWaits: "It is installed once nothing runs on this device.",
  updateStates: {
    no_feed: "Off: no address of updates is set.",
    bad_feed: "Off: the address of updates does not begin with https://.",
    obstacle: (reason: string) => `Off: this kind of app cannot update itself (${reason.replaceAll("_", " ")}).`,
    unlooked: "It was not looked yet.",
    idle: "Nothing newer is there.",
    checking: "Looking…",
    downloading: (version: string) => `Version ${version} is being downloaded.`,
    ready: (version: string) =>
      `Version ${version} is ready. It is installed when you say so, or when the app is quit.`,
    failed: (reason: string) => `The last look failed: ${reason}`
  },
  files: "Crash files",
  crashNext: "It counts from the next start of this app.",
  crashList: (count: number, folder: string) =>
    plural(count, { one: `# file in ${folder}`, other: `# files in ${folder}` }),
  crashRemove: "Delete them",
  crash: "Keep crash files on this computer",
  crashHint: "They are sent to nobody, and may hold what was in memory when it happened.",
  console: "Looks, keys and your account are in the console's own settings."
})
