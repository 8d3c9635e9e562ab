import { defineText } from "./catalogue.ts"

/** What went wrong, in words. Codes are an open set: one that is not here shows the hub's own message. */
export const errorText = defineText({
  title: "This could not be read",
  uncertainTitle: "No answer came",
  uncertain: "The hub may have acted. Look at the list before you try again.",
  network: "The hub could not be reached.",
  notConnected: "There is no connection to the hub: nothing was sent. Try again when it is back.",
  hubFailing: "The hub answers with errors, so nothing was sent. Try again when it works.",
  timeout: "The hub did not answer in time.",
  notHub: "The answer did not come from the hub. There may be a proxy in between.",
  forbidden: (permission: string) =>
    `You need the permission ${permission} here. Ask an owner or an administrator of this workspace.`,
  forbiddenUnnamed: "You may not do this here. Ask an owner or an administrator of this workspace.",
  rateLimited: (seconds: number) => `Too many requests. Try again in ${seconds} s.`,
  stopped: "This screen has stopped",
  crashed: "Nothing was changed by that. Try again; if it comes back, tell whoever runs this hub.",
  outdated: "A newer version of the console is there. Load it to go on.",
  reload: "Load again",
  retry: "Try again",
  notFoundTitle: "Nothing is at this address",
  notFound: "It may be in another workspace, or no longer there.",
  home: "To the inbox",
  requestId: "Request"
})
