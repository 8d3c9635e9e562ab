import { defineText } from "./catalogue.ts"

export const publicationsText = defineText({
  title: "Publications",
  views: "Views of publications",
  optional: "optional",
  fixed: "These texts were copied when publication was requested. Later changes to the agent don't change them.",
  becomes: ({ listed, scope }: { readonly listed: boolean; readonly scope: "team" | "org" }) =>
    listed
      ? "After approval, members of this workspace can open the agent, and every workspace of this hub can see the "
        + "fields below."
      : scope === "org"
      ? "After approval, members of this workspace can open the agent. The marketplace doesn't list it."
      : "After approval, members of the team can open the agent. The marketplace doesn't list it.",
  fields: {
    kind: "Type",
    kinds: { agent: "Agent", workflow: "Workflow" },
    name: "Name",
    description: "Description",
    icon: "Icon",
    category: "Category",
    publisher: "Workspace",
    none: "None"
  },
  audience: { workspace: "Workspace", team: "Team", listed: "Listed" },
  marketplace: {
    tab: "Marketplace",
    about: "A listing shows only these fields.",
    list: "Marketplace listings, newest first",
    search: "Search listings",
    category: "Category",
    categoryTyped: "Category",
    columns: { name: "Name", description: "Description", category: "Category", publisher: "Workspace" },
    empty: "No workspace of this hub has listed an agent yet. To list one, open the agent and choose Publish.",
    noMatch: "No listing matches these filters."
  },
  published: {
    tab: "Published",
    list: "Publications, newest first",
    status: "Status",
    statuses: { active: "Active", revoked: "Revoked" },
    columns: {
      name: "Name",
      status: "Status",
      audience: "Visible to",
      publisher: "Published by",
      since: "Published"
    },
    revokedAt: "Revoked",
    open: "Open publication",
    openAgent: "Open agent",
    empty: "Nothing is published in this workspace yet. To publish an agent, open it and choose Publish.",
    noMatch: "No publication matches these filters.",
    revoke: {
      item: "Revoke…",
      title: (name: string) => `Revoke the publication of ${name}`,
      what: "People who can see the agent only through this publication lose access at once.",
      whatListed:
        "Its listing disappears from the marketplace at once, and people who can see the agent only through this "
        + "publication lose access.",
      act: "Revoke publication",
      failed: "The publication wasn't revoked.",
      unchanged: "It is still active.",
      done: (name: string) => `The publication of ${name} was revoked`
    }
  },
  review: {
    tab: "Requests",
    list: "Publish requests, newest first",
    status: "Status",
    statuses: { pending: "Pending", approved: "Approved", rejected: "Rejected", withdrawn: "Canceled" },
    columns: {
      name: "Name",
      status: "Status",
      audience: "Visible to",
      by: "Requested by",
      created: "Requested"
    },
    note: "Note",
    decidedBy: "Decided by",
    comment: "Comment",
    commentAbout: "Shown to the person who made the request.",
    of: (name: string) => `Publish ${name}`,
    approve: "Approve",
    needsOther: "You made this request. Another owner or admin must approve it.",
    needsReviewer: "An owner or admin reviews this request.",
    empty: "No publish requests yet. To request publication, open an agent and choose Publish.",
    emptyOwn: "You have made no publish requests yet. To make one, open your agent and choose Publish.",
    noMatch: "No publish request matches these filters.",
    failed: "The request wasn't approved.",
    unchanged: "It is unchanged.",
    rejected: {
      item: "Reject…",
      title: (name: string) => `Reject the request to publish ${name}`,
      what: "Nothing is published. The requester sees the comment that you entered.",
      act: "Reject request",
      failed: "The request wasn't rejected."
    },
    withdrawn: {
      item: "Cancel request…",
      title: (name: string) => `Cancel the request to publish ${name}`,
      what: "Nothing is published. You can request it again later.",
      act: "Cancel request",
      failed: "The request wasn't canceled."
    },
    done: {
      approved: (name: string) => `${name} was published`,
      rejected: (name: string) => `The request to publish ${name} was rejected`,
      withdrawn: (name: string) => `The request to publish ${name} was canceled`
    }
  },
  publish: {
    item: "Publish…",
    title: (name: string) => `Publish ${name}`,
    about: "An owner or admin reviews the request. Nothing is shared before it is approved.",
    scope: "Visible to",
    org: "Workspace",
    orgAbout: "Every member can open the agent. They can't change it or read its activity, budget, or conversations.",
    team: "Team",
    teamAbout: "Members of one team can open the agent, with the same limits.",
    noTeam: "There is no team that you can publish to.",
    whichTeam: "Team",
    chooseTeam: "Choose a team",
    listed: "List in the marketplace",
    listedAbout: "Every workspace of this hub can see the listing.",
    preview: "Preview",
    note: "Note for the reviewer",
    noteAbout: "Not published.",
    act: "Request publication",
    show: "Show requests",
    failed: "Publication wasn't requested.",
    unchanged: "Nothing was changed.",
    done: (name: string) => `Publication of ${name} was requested`
  }
})
