import { defineText, plural } from "./catalogue.ts"

export const shellText = defineText({
  product: "Countersign",
  skip: "Skip to content",
  navigation: "Main",
  places: {
    inbox: "Inbox",
    requests: "Requests",
    agents: "Agents",
    catalog: "Catalog",
    money: "Money",
    usage: "Usage",
    audit: "Audit",
    policies: "Policies",
    standing: "Standing approvals",
    secrets: "Secrets",
    settings: "Settings"
  },
  more: "More",
  search: "Search or act",
  collapse: "Make the rail narrow",
  expand: "Make the rail wide",
  workspaces: "Workspace",
  role: { owner: "Owner", admin: "Admin", operator: "Operator", member: "Member", viewer: "Viewer" },
  waiting: (count: number) => plural(count, { one: "# waits for a person", other: "# wait for a person" }),
  documentTitle: (title: string, workspace: string) => `${title} · ${workspace} · Countersign`,
  loading: "Loading"
})
