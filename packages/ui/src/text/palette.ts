import { defineText } from "./catalogue.ts"

export const paletteText = defineText({
  label: "Search or act",
  placeholder: "Search agents, requests, settings, and actions",
  none: "No results.",
  searching: "Searching…",
  close: "Close",
  run: "Open or do",
  runKey: "Enter",
  groups: {
    here: "Here",
    go: "Go to",
    act: "Act",
    workspaces: "Workspaces",
    appearance: "Appearance",
    open: "Open by id"
  },
  found: {
    agent: "Agents",
    service: "Services",
    service_request: "Requests",
    approval: "Approvals",
    person: "People",
    workflow: "Workflows"
  },
  enter: (workspace: string) => `Go to ${workspace}`,
  theme: (name: string) => `Theme: ${name}`,
  contrast: (name: string) => `Contrast: ${name}`,
  density: (name: string) => `Density: ${name}`,
  keys: "List of keys",
  signOut: "Sign out",
  retry: "Connect again now",
  docs: "Documentation",
  open: (id: string) => `Open ${id}`
})
