import { defineText } from "./catalogue.ts"

export const agentActsText = defineText({
  menu: (name: string) => `More acts on ${name}`,
  clone: {
    item: "Clone…",
    title: (name: string) => `Clone ${name}`,
    about:
      "Creates another agent with the same services, limits, budget, and personality. It starts with nothing spent, "
      + "belongs to you, and gets its own key, which is shown once. Children, tasks, skills, and conversations aren't "
      + "copied.",
    memories: "Copy its memories",
    memoriesAbout: "The clone gets its own copy. Later changes don't affect the other agent.",
    name: "Name",
    copyOf: (name: string) => `${name} (copy)`,
    act: "Clone agent",
    failed: "The agent wasn't cloned.",
    unchanged: "Nothing was changed.",
    done: (name: string) => `${name} was created`,
    noBudgets: "This agent has a budget or limits. Copying them requires the permission budgets:write."
  },
  transfer: {
    item: "Transfer…",
    title: (name: string) => `Transfer ${name}`,
    about: "Gives the agent to another team or person. Its keys, limits, and history stay as they are.",
    team: "Team",
    noTeam: "No team",
    someTeam: "Its present team",
    owner: "Owner",
    nobody: "Nobody",
    someOwner: "Its present owner",
    pays: {
      team: (owner: string, team: string) =>
        `Afterwards ${owner}'s allocation in ${team} pays for its requests. Without one the team's pool pays, and if the `
        + "team never had money, the workspace's wallet. An empty allocation or pool blocks requests.",
      noTeam: "Afterwards the workspace's wallet pays for its requests."
    },
    lost: "You won't see this agent afterwards, unless it is shared with you.",
    act: "Transfer agent",
    failed: "The agent wasn't transferred.",
    unchanged: "Its team and owner are as before.",
    done: (name: string) => `${name} was transferred`
  }
})
