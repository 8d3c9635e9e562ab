import { defineText } from "./catalogue.ts"

export const oauthText = defineText({
  documentTitle: "Allow access · Countersign",
  title: (client: string) => `Allow ${client} to act as an agent?`,
  lead: "It will call paid tools as the agent that you choose, within the agent's budgets and approvals.",
  nameWarning: "The name comes from the application itself and isn't verified.",
  identified: "The application is identified by its address at {place}.",
  workspace: "Workspace",
  agent: "Agent",
  choose: "Choose an agent",
  noAgents: "This workspace has no agent that you can use.",
  returnsTo: "After your decision, the browser goes to {place}.",
  ends: "You can end the access at any time in Settings, Tokens.",
  approve: "Allow",
  deny: "Deny",
  failed: "Nothing was allowed.",
  refusedTitle: "This sign-in can't continue",
  refused: "The application sent a request that this hub doesn't accept. Nothing was sent back to it.",
  home: "Open the console",
  signIn: "Sign in",
  going: "Opening the application."
})
