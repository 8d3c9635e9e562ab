import { defineText, plural } from "./catalogue.ts"
import { teamRoleNames } from "./roles.ts"

const roleWords = {
  lead: "Manages the members, agents, and money of the team, and decides the approvals of its agents",
  worker: "Uses the team's money with their own agents"
} as const

export const teamsText = defineText({
  title: "Teams",
  list: "Teams, by name",
  search: "Search teams",
  empty: "A team is a group of people who share a pool of money for their agents.",
  noMatch: "No team matches.",
  found: (count: number) => plural(count, { one: "# team", other: "# teams" }),
  columns: {
    team: "Team",
    description: "Description",
    members: "Members",
    role: "Your role",
    available: "Available in the pool",
    spent: "Spent this month"
  },
  members: (count: number) => plural(count, { one: "# member", other: "# members" }),
  roles: teamRoleNames,
  roleWords,
  notMember: "Not a member",
  noPool: "No pool",
  hidden: "–",
  open: "Open",

  active: {
    mark: "active",
    line: "Active team of this session: {team}",
    none: "No active team in this session",
    enter: "Make it the active team",
    leave: "End the active team",
    entered: (name: string) => `${name} is the active team of this session.`,
    left: "This session has no active team.",
    failed: "The active team was not changed."
  },

  create: {
    act: "Create team",
    title: "New team",
    about: "It starts without members and money. You add both on its page.",
    name: "Name",
    namePlaceholder: "Research",
    description: "Description",
    optional: "optional",
    failed: "The team was not created.",
    unchanged: "Nothing was changed.",
    done: (name: string) => `${name} is created.`
  },

  detail: {
    team: "Team",
    noDescription: "No description.",
    edit: "Edit",
    facts: "Details",
    yourRole: "Your role",
    created: "Created",
    id: "Id"
  },

  edit: {
    title: (name: string) => `Edit ${name}`,
    failed: "The team was not changed.",
    unchanged: "It is as it was.",
    done: "Saved."
  },

  remove: {
    act: "Delete team",
    title: (name: string) => `Delete ${name}?`,
    money: (sum: string) =>
      `${sum} of its pool and allocations returns to the workspace's wallet, which then pays for its agents.`,
    moneyHidden:
      "The money of its pool and allocations returns to the workspace's wallet, which then pays for its agents.",
    people: (count: number) =>
      plural(count, {
        one: "Its # member stays in the workspace.",
        other: "Its # members stay in the workspace."
      }),
    last: "This can't be undone.",
    phrase: (name: string) => `Enter ${name} to confirm`,
    failed: "The team was not deleted.",
    unchanged: "Its money and members are as they were.",
    done: (name: string) => `${name} is deleted.`
  },

  money: {
    title: "Pool",
    available: "available in the pool",
    balance: "Balance",
    held: "Held",
    allocated: "Allocated",
    spent: "Spent (month)",
    opened:
      "The pool pays for the team's agents, except those of members with an allocation. An empty pool blocks their requests: no other wallet pays instead.",
    unopened:
      "This team has no pool yet: the workspace's wallet pays for its agents. From the first transfer on, only the pool pays.",
    act: "Move money"
  },

  move: {
    poolTitle: (team: string) => `Move money for ${team}`,
    poolWhat: "Between the workspace's wallet and the pool of this team.",
    firstPool:
      "This first transfer opens the pool. From then on only the pool pays for the team's agents, even when it is empty.",
    memberTitle: (name: string) => `Allocate money to ${name}`,
    memberWhat: "Between the pool and this member's allocation.",
    firstAllocation:
      "This first transfer opens the allocation. From then on only it pays for this member's agents in the team, even when it is empty.",
    direction: "Direction",
    toPool: "To the pool",
    fromPool: "Back to the workspace's wallet",
    toMember: "To the allocation",
    fromMember: "Back to the pool",
    wallet: "the workspace's wallet",
    pool: "the pool",
    allocation: "the allocation",
    amount: "Amount",
    invalid: "Enter an amount such as 25.00",
    tooMuch: (max: string) => `At most ${max} at a time.`,
    tooLittle: "At least one cent.",
    short: (available: string, source: string) => `Only ${available} is available in ${source}.`,
    all: (available: string) => `All ${available}`,
    after: (source: string, sourceLeft: string, target: string, targetLeft: string) =>
      `Available afterwards: ${sourceLeft} in ${source}, ${targetLeft} in ${target}.`,
    now: (source: string, available: string) => `${available} is available in ${source}.`,
    confirm: (amount: string) => `Move ${amount}`,
    confirmEmpty: "Move money",
    failed: "No money was moved.",
    unchanged: "Both balances are unchanged.",
    done: (amount: string, target: string) => `${amount} moved to ${target}.`
  },

  people: {
    title: "Members",
    list: "Members of the team",
    empty: "This team has no members yet.",
    hidden: "Only members of the team see its members and money.",
    you: "you",
    more: "More",
    add: "Add member",
    allocation: "Allocation: {available} available",
    allocationHeld: "Allocation: {available} available, {held} held",
    pool: "The pool pays",
    wallet: "The workspace's wallet pays",
    spent: "{spent} spent this month",
    allocate: "Allocate",
    allocateTo: (name: string) => `Allocate money to ${name}`,
    menu: (name: string) => `Actions for ${name}`,
    makeLead: "Make lead",
    makeWorker: "Make worker",
    end: "End allocation",
    remove: "Remove from team"
  },

  add: {
    title: (team: string) => `Add a member to ${team}`,
    about: "Choose a person of this workspace.",
    invite: "Invite someone new",
    person: "Person",
    pick: "Choose a person",
    needed: "Choose a person.",
    nobody: "Every person of this workspace is already in the team.",
    role: "Role",
    act: "Add member",
    failed: "The person was not added.",
    unchanged: "The team is as it was.",
    done: (name: string) => `${name} is in the team.`
  },

  role: {
    title: (name: string, role: "lead" | "worker") =>
      role === "lead" ? `Make ${name} a lead?` : `Make ${name} a worker?`,
    what: roleWords,
    lead: "Make lead",
    worker: "Make worker",
    failed: "The role was not changed.",
    unchanged: "It is as it was.",
    done: (name: string, role: "lead" | "worker") => role === "lead" ? `${name} is a lead.` : `${name} is a worker.`
  },

  end: {
    title: (name: string) => `End the allocation of ${name}?`,
    what: (sum: string) => `${sum} returns to the pool, which then pays for this member's agents in the team.`,
    act: "End allocation",
    failed: "The allocation was not ended.",
    unchanged: "Its money is where it was.",
    done: (name: string) => `The allocation of ${name} has ended.`
  },

  leave: {
    title: (name: string) => `Remove ${name} from the team?`,
    self: "Leave the team?",
    allocation: (sum: string) => `The allocation ends: ${sum} returns to the pool.`,
    agents: "Their agents stay in the team. The person stays in the workspace.",
    act: "Remove from team",
    failed: "The person was not removed.",
    unchanged: "The team is as it was.",
    done: (name: string) => `${name} is removed from the team.`
  },

  holds: (held: string) =>
    `Requests hold ${held} of this money. Try again when they have ended, or settle or cancel them first.`,

  agents: {
    title: "Agents",
    empty: "No agents belong to this team. Transfer one from its page.",
    spent: "{spent} this month",
    all: "All agents of this team"
  }
})
