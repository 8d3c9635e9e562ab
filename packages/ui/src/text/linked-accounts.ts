import { defineText } from "./catalogue.ts"

export const linkedAccountsText = defineText({
  title: "Linked accounts",
  lead: "Your accounts in Slack and Discord. Buttons that you press there decide in your name.",
  empty: "Link your Slack or Discord account to decide approvals there.",
  kinds: { slack: "Slack", discord: "Discord" },
  team: (name: string) => `Workspace ${name}`,
  statuses: { unconfirmed: "Not confirmed", linked: "Linked" },
  linkedAt: "Linked {time}",
  used: "Last used {time}",
  unused: "Never used",
  expires: "The code expires {time}",

  link: {
    act: "Link account",
    title: "Link an account",
    about: "Enter this command in Slack or Discord. The account then appears here, and you confirm it.",
    command: "Command",
    copy: "Copy command",
    expires: "Valid until {time}",
    waiting: "Waiting for the command…",
    done: "Done",
    failed: "No code was created.",
    unchanged: "Nothing was changed."
  },
  confirm: {
    act: "Confirm",
    actOf: (name: string) => `Confirm ${name}`,
    title: "Is this account yours?",
    what: (name: string, place: string) =>
      `${name} (${place}) entered your code. From now on, its buttons decide in your name.`,
    yes: "Yes, it's mine",
    failed: "The account was not linked.",
    unchanged: "It decides nothing.",
    done: "Account linked."
  },
  remove: {
    act: "Remove",
    actOf: (name: string) => `Remove ${name}`,
    title: "Remove the account?",
    what: (name: string) => `${name} decides nothing from then on.`,
    failed: "The account was not removed.",
    unchanged: "It is as it was.",
    done: "Account removed."
  }
})
