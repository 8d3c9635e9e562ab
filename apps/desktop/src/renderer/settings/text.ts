import { defineText, plural } from "@countersign/ui/text/catalogue"

export const settingsText = defineText({
  setAside: (path: string) => `Your settings couldn't be read and were reset. The previous file is kept as ${path}.`,
  saved: "Saved.",
  save: "Save",
  start: "Start",
  autostart: "Start with this computer",
  autostartGone:
    "The system doesn't start the app: the entry was removed or disabled there. Turn this off and on to set it again.",
  autostartFailed: (problem: string) => `This couldn't be set: ${problem}`,
  hidden: "Start hidden in the tray",
  hiddenHint: "Applies when the app starts with this computer. Otherwise it shows its window.",
  noTray: "This desktop shows no tray: the window opens anyway, and closing it quits the app.",
  shortcuts: "Global shortcuts",
  open: "Open Countersign",
  panic: "Stop everything on this device",
  shortcutHint: "Such as CommandOrControl+Shift+K. Empty: none.",
  states: {
    off: "",
    works: "Active.",
    taken: "Another program uses it, or the system doesn't support it.",
    not_here: "This desktop (Wayland) supports no global shortcuts."
  },
  notices: "Notifications",
  notify: "Notify me of pending approvals and requests on all hubs",
  test: "Show a test notification",
  testShown: "Sent to the system. If you didn't see it, check the notification settings of your system.",
  noticeProblems: {
    none_here:
      "This system shows no notifications. The tray and the window still show the number of pending approvals and requests.",
    failed: "The system refused the last notification. Check the notification settings of your system."
  },
  quiet: "Quiet hours",
  quietLead:
    "No notifications are shown during these hours. Approvals and requests that are still pending afterwards are shown at the end.",
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
  feed: "Update address",
  feedHint: "You get it from the publisher of the app. Empty: the package's default, if it has one.",
  look: "Check now",
  install: "Install",
  installWaits: "It is installed when no commands run on this device.",
  updateStates: {
    no_feed: "Off: no update address is set.",
    bad_feed: "Off: the update address doesn't begin with https://.",
    obstacle: (reason: string) => `Off: this kind of app can't update itself (${reason.replaceAll("_", " ")}).`,
    unlooked: "Not checked yet.",
    idle: "This is the newest version.",
    checking: "Checking…",
    downloading: (version: string) => `Version ${version} is being downloaded.`,
    ready: (version: string) => `Version ${version} is ready. It is installed on request or when you quit the app.`,
    failed: (reason: string) => `The last check failed: ${reason}`
  },
  files: "Crash files",
  crashNext: "Applies from the next start of this app.",
  crashList: (count: number, folder: string) =>
    plural(count, { one: `# file in ${folder}`, other: `# files in ${folder}` }),
  crashRemove: "Delete crash files",
  crash: "Keep crash files on this computer",
  crashHint: "They are never sent, and can contain data that was in memory at the crash.",
  console: "Appearance, keys, and your account are in the settings of the console."
})
