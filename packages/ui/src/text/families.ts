import { defineText, plural } from "./catalogue.ts"

export const familiesText = defineText({
  title: "Families",
  about:
    "An agent can create child agents. If it has a budget, the budgets of its children and of the tasks that it delegates "
    + "are set aside from it, so the family never spends more.",
  tree: "Agents by family",
  all: "All families",
  up: "One level up",
  empty: "No agent works here yet.",
  toAgents: "Go to agents",
  columns: {
    agent: "Agent",
    state: "State",
    budget: "Budget",
    spent: "Spent",
    held: "Held",
    committed: "Set aside",
    left: "Left",
    ends: "Ends"
  },
  month: "Amounts are those of this month (UTC). Set aside: for children and for delegated tasks.",
  noCap: "no cap",
  never: "–",
  assistant: "Assistant",
  children: (count: number) => plural(count, { one: "# child", other: "# children" }),
  expand: (name: string) => `Show children of ${name}`,
  collapse: (name: string) => `Hide children of ${name}`,
  more: "Show more",
  moreOf: (name: string) => `Show more children of ${name}`,
  moreRoots: "Show more families",
  fresh: (count: number) => plural(count, { one: "# new agent", other: "# new agents" }),
  panel: {
    title: "Family",
    open: "Open family",
    parent: "Parent",
    hiddenParent: "An agent that you can't see",
    level: "Level",
    levelOf: (depth: number) => `${plural(depth, { one: "# level", other: "# levels" })} below the root`,
    children: "Children",
    moreChildren: (count: number) => plural(count, { one: "# more", other: "# more" }),
    setAside: "Set aside for children and tasks",
    ends: "Ends",
    left: (amount: string) => `${amount} left`,
    noCap: "no cap"
  },
  views: { label: "Views of agents", list: "List", families: "Families", tasks: "Delegated tasks" },
  child: (depth: number) => `child, level ${String(depth)}`,
  childAbout: (depth: number) => `A child agent, ${plural(depth, { one: "# level", other: "# levels" })} below its root`
})
