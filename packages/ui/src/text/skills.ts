import { defineText, figure, plural } from "./catalogue.ts"

export const skillsText = defineText({
  title: "Skills",
  label: "Skills and proposals",
  skills: "Skills",
  proposals: "Proposals",
  empty: "No skills yet. Each operation of a bound service is one, and so is each proposal that a person accepts.",
  noProposals: "The agent hasn't proposed a skill.",
  more: "Show more",
  kinds: { service: "Service", workflow: "Workflow", custom: "Custom" },
  statuses: { proposed: "Proposed", accepted: "Accepted", rejected: "Rejected" },
  read: "Read",
  review: "Review",
  reviewOf: (name: string) => `Review ${name}`,
  readOf: (name: string) => `Read ${name}`,
  remove: {
    act: "Delete skill",
    title: (name: string) => `Delete the skill ${name}?`,
    what: "The agent no longer gets its instructions. It can propose the skill again.",
    failed: "The skill wasn't deleted.",
    unchanged: "The agent still has it.",
    done: (name: string) => `The skill ${name} was deleted`
  },
  proposal: {
    about: (agent: string) =>
      `${agent} proposes this skill for itself. If you accept it, the agent gets the instructions as a `
      + "custom skill. Its services and limits don't change.",
    decided: {
      accepted: (who: string) => `Accepted by ${who}.`,
      rejected: (who: string) => `Rejected by ${who}.`
    },
    someone: "someone",
    description: "Description",
    rationale: "Reason",
    instructions: "Instructions",
    operations: "Operations it uses",
    noOperations: "none",
    comment: "Comment",
    commentAbout: "The agent can read it.",
    optional: "optional",
    accept: "Accept skill",
    reject: "Reject",
    failed: "The proposal wasn't decided.",
    unchanged: "It is still pending.",
    accepted: (name: string) => `${name} was accepted`,
    rejectTitle: (name: string) => `Reject ${name}?`,
    rejectWhat: "The agent doesn't get this skill. It can propose another version.",
    rejectAct: "Reject proposal",
    rejected: (name: string) => `${name} was rejected`,
    who: "Deciding requires the permission agents:write."
  },
  operationsCount: (count: number) => plural(count, { one: "# operation", other: "# operations" }),
  pending: (count: number, isMore: boolean) => isMore ? `${figure(count)}+` : figure(count)
})
