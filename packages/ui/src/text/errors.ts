import { defineText } from "./catalogue.ts"

/** What went wrong, in words. Codes are an open set: one that is not here shows the hub's own message. */
export const errorText = defineText({
  title: "This couldn't be loaded",
  uncertainTitle: "No response from the hub",
  uncertain: "The hub may have acted. Check the list before you try again.",
  network: "The hub couldn't be reached.",
  notConnected: "Nothing was sent, because the hub isn't connected. Try again when the connection is back.",
  hubFailing: "Nothing was sent, because the hub responds with errors. Try again when it works.",
  timeout: "The hub didn't respond in time.",
  notHub: "The response didn't come from the hub. There may be a proxy in between.",
  forbidden: (permission: string) =>
    `You need the permission ${permission} here. Ask an owner or an administrator of this workspace.`,
  rateLimited: (seconds: number) => `Too many requests. Try again in ${seconds} s.`,
  stopped: "This screen has stopped",
  crashed: "Nothing was changed. Try again; if it happens again, contact the operator of this hub.",
  outdated: "A newer version of the console is available. Reload to continue.",
  reload: "Reload",
  retry: "Try again",
  notFoundTitle: "Page not found",
  notFound: "It may be in another workspace, or deleted.",
  home: "Open the inbox",
  requestId: "Request"
})
