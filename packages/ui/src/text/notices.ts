/** The words of notification settings, browsers, and mail previews. */
import type { NoticeEvent, NoticePlace } from "@countersign/domain/notice-events"
import { defineText } from "./catalogue.ts"

const events: Readonly<Record<NoticeEvent, string>> = {
  "approval.created": "Pending approvals",
  "agent_request.created": "Agent requests",
  "budget.alert": "Budget alerts",
  "run.failed": "Failed workflow runs",
  "app.needs_reauth": "Apps to reconnect",
  "webhook_endpoint.disabled": "Disabled webhook endpoints"
}

const places: Readonly<Record<NoticePlace, string>> = {
  desktop: "Desktop app",
  browser: "Browsers",
  email: "Email",
  channel: "Mentions"
}

export const noticesText = defineText({
  events: "Events",
  eventsWhat: "What you are notified of in this workspace, and where. You get only what you may see or decide. " +
    "Mentions in Slack and Discord need a linked account.",
  event: "Event",
  names: events,
  places,
  at: (event: string, place: string) => `${event}: ${place}`,
  notSaved: "The settings were not saved.",
  saved: "Settings saved.",
  save: "Save",

  times: "Times",
  quiet: "Quiet hours",
  quietWhat: (zone: string) =>
    `Notices wait until the quiet hours end, in your time zone (${zone}). You can change the time zone in Account.`,
  from: "From",
  to: "To",
  sameTimes: "Choose two different times.",
  digest: "Minutes between emails",
  digestWhat: "The first email about pending approvals is sent after one minute, the next ones together.",
  digestInvalid: "Enter a number from 1 to 1,440.",

  push: "Notify this browser",
  pushWhat: "Also while Countersign is closed. It ends when you sign out.",
  pushUnsupported: "This browser can't receive notices from this site. They require HTTPS or localhost.",
  pushDenied: "Notifications from this site are blocked. Allow them in the browser's site settings, then turn this on.",
  pushFailed: "This browser was not subscribed. Its push service may be unreachable.",
  browsers: "Your browsers",
  thisOne: "This browser",
  unknown: "Unknown browser",
  on: (browser: string, system: string) => `${browser} on ${system}`,
  since: "subscribed {time}",
  used: "last notice {time}",
  remove: "Remove",
  removeOf: (name: string) => `Remove ${name}`,
  removeFailed: "The browser was not removed.",

  mail: "Email preview",
  mailWhat: "Emails as the hub sends them, with made-up examples. Nothing is sent.",
  openMail: "Preview emails",
  subject: "Subject",
  htmlPart: "HTML",
  textPart: "Text",
  frame: "The HTML part of the email"
})
