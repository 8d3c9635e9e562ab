import { defineText, plural } from "./catalogue.ts"

/** The types of steps, as the console names them. */
export const stepTypeNames = defineText({
  service_call: "Service call",
  run_workflow: "Run workflow",
  condition: "Condition",
  delay: "Delay",
  approval: "Approval",
  agent_request: "Agent request",
  delegation: "Delegated task",
  webhook: "Webhook",
  memory_read: "Read memories",
  memory_write: "Save memory"
})

export const workflowsText = defineText({
  title: "Workflows",
  one: "Workflow",
  list: "Workflows, newest first",
  search: "Search workflows",
  empty:
    "A workflow is a graph of steps: paid calls, approvals, conditions, and waits. Start from a template, or create "
    + "an empty one.",
  noMatch: "No workflow matches these filters.",
  views: {
    label: "Views of workflows",
    list: "Workflows",
    templates: "Templates",
    runs: "Runs",
    schedules: "Schedules",
    triggers: "Triggers"
  },
  columns: {
    name: "Workflow",
    status: "Status",
    version: "Version",
    visibility: "Visible to",
    agents: "Agents",
    updated: "Changed"
  },
  statuses: { draft: "Draft", pending_review: "In review", published: "Published" },
  visibilities: { private: "Only the owner", team: "Team", org: "Workspace" },
  visibilityAbout: {
    private: "The owner, and owners and admins of the workspace",
    team: "The members of one team too",
    org: "Every person of the workspace"
  },
  steps: (count: number) => plural(count, { one: "# step", other: "# steps" }),
  noVersion: "No version",
  versionOf: (live: number, latest: number) => live === latest ? `${live}` : `${live}, newest ${latest}`,
  unpublished: (latest: number) => `${latest}, not live`,
  agentsOf: (count: number) => plural(count, { one: "# agent", other: "# agents" }),
  menuOf: (name: string) => `Actions for ${name}`,
  open: "Open",
  edit: "Edit steps",
  copyId: "Copy id",
  optional: "optional",

  create: {
    act: "Create workflow",
    title: "New workflow",
    about: "It starts empty. You add its steps in the editor.",
    name: "Name",
    namePlaceholder: "Morning research",
    description: "Description",
    max: "Maximum cost of one run",
    maxAbout: "A run never spends more, with all workflows that it starts. Empty: no limit.",
    badAmount: "Enter an amount such as 25.00",
    failed: "The workflow was not created.",
    unchanged: "Nothing was changed.",
    done: (name: string) => `${name} is created.`
  },
  imports: {
    act: "Import",
    title: "Import a workflow",
    about:
      "Paste an export of this or another hub, or choose its file. It becomes a private workflow with one version.",
    text: "Export",
    file: "Choose a file",
    bad: "This isn't JSON.",
    failed: "The workflow was not imported.",
    unchanged: "Nothing was changed.",
    tooLarge: "This file is too large for an export.",
    done: (name: string) => `${name} is imported.`
  },
  templates: {
    list: "Templates",
    loading: "Templates",
    about: "Each template becomes a private workflow that you can change.",
    act: "Use template",
    actOf: (name: string) => `Use template ${name}`,
    needs: "Uses {operations}",
    needsNothing: "Uses no service",
    steps: "Steps of the template",
    title: (name: string) => `Use ${name}`,
    name: "Name",
    failed: "The workflow was not created.",
    unchanged: "Nothing was changed.",
    done: (name: string) => `${name} is created.`,
    search: "Search templates",
    noMatch: "No template matches."
  },
  detail: {
    noDescription: "No description.",
    run: "Start run",
    versions: "Versions",
    noVersions: "This workflow has no steps yet. Open the editor to add them.",
    versionLine: "Version {number} by {person}, {time}",
    live: "live",
    inReview: "in review",
    open: "Open in the editor",
    publish: "Publish",
    publishOf: (number: number) => `Publish version ${number}`,
    more: "Older versions",
    definition: (number: number) => `Steps of version ${number}`,
    runs: "Latest runs",
    allRuns: "All runs",
    noRuns: "It has not run yet.",
    startedBy: (name: string) => `started by ${name}`,
    unpublish: "Unpublish",
    review: "Open the publish request",
    access: "Access",
    share: "Change",
    shareOf: "Change who sees it",
    visibleTo: "Visible to",
    agents: "Agents that run it",
    agentsAbout: "These agents can run the live version as workflow.run_workflow, and runs can spend as one of them.",
    noAgents: "No agent may run it yet.",
    grant: "Add agent",
    revokeOf: (name: string) => `Remove ${name}`,
    facts: "Details",
    maxCost: "Maximum cost of a run",
    noMax: "No limit",
    created: "Created",
    updated: "Changed",
    owner: "Owner",
    noOwner: "Owners and admins of the workspace",
    id: "Id",
    export: "Export",
    exporting: "The export was not read.",
    edit: "Edit details",
    remove: "Delete workflow"
  },
  update: {
    title: (name: string) => `Edit ${name}`,
    failed: "The workflow was not changed.",
    unchanged: "It is as it was.",
    done: "Saved."
  },
  share: {
    title: (name: string) => `Who sees ${name}`,
    about: "Its steps and runs are visible to these people. Agents need a grant instead.",
    visibility: "Visible to",
    team: "Team",
    chooseTeam: "Choose a team",
    noTeam: "There is no team that you can share with.",
    failed: "Visibility was not changed.",
    unchanged: "It is as it was.",
    done: "Visibility is changed."
  },
  grant: {
    title: (name: string) => `Add an agent to ${name}`,
    about: "The agent can run the live version. Its own bindings, budgets, and policies still apply to each step.",
    agent: "Agent",
    choose: "Choose an agent",
    none: "Every agent already has this workflow.",
    act: "Add agent",
    failed: "The agent was not added.",
    unchanged: "Nothing was changed.",
    done: (name: string) => `${name} can run this workflow.`
  },
  revoke: {
    title: (name: string) => `Remove ${name}?`,
    what: "The agent can't start this workflow any more. Runs that it started continue.",
    act: "Remove agent",
    failed: "The agent was not removed.",
    unchanged: "It can still run the workflow.",
    done: (name: string) => `${name} can't run this workflow any more.`
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    what: "Agents, schedules, and triggers can't run it any more. Its past runs stay visible by their links.",
    force: "Cancel its open runs",
    forceAbout: "Required while runs are open. Calls that are under way end, and what they cost is paid.",
    act: "Delete workflow",
    phrase: (name: string) => `Enter ${name} to confirm`,
    failed: "The workflow was not deleted.",
    unchanged: "It and its runs are as they were.",
    done: (name: string) => `${name} is deleted.`
  },
  publish: {
    title: (name: string, number: number) => `Publish version ${number} of ${name}`,
    about:
      "A reviewer approves the request; then this version is live for agents, schedules, and triggers. Runs that have "
      + "started keep their version.",
    compared: (number: number) => `Changes since the live version ${number}`,
    first: "This is the first version to be published. Everything in it is new.",
    same: "The steps are the same as those of the live version.",
    scope: "Audience",
    org: "Workspace",
    orgAbout: "Every person of the workspace sees it",
    team: "Team",
    teamAbout: "Only one team sees it",
    noTeam: "There is no team that you can publish to.",
    whichTeam: "Team",
    chooseTeam: "Choose a team",
    listed: "List it in the marketplace",
    note: "Note for the reviewer",
    act: "Request publication",
    failed: "Publication was not requested.",
    unchanged: "The live version is unchanged.",
    done: "Publication is requested.",
    show: "Show requests",
    replaces: "A newer request withdraws the one that is in review."
  },
  unpublish: {
    title: (name: string) => `Unpublish ${name}?`,
    what:
      "No version will be live: agents, schedules, and triggers can't start new runs. Runs that have started continue.",
    act: "Unpublish",
    failed: "The workflow was not unpublished.",
    unchanged: "Its live version is unchanged.",
    done: (name: string) => `${name} has no live version.`
  },
  change: {
    step: "Step",
    edge: "Connection",
    input: "Input",
    output: "Output",
    added: "added",
    removed: "removed",
    changed: "changed",
    inputSchema: "Input schema",
    outputTemplate: "Output template",
    edgeFrom: (from: string, to: string) => `${from} → ${to}`,
    list: "Changed parts"
  }
})
