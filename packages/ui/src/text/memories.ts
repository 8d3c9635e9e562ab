import { defineText, figure, plural } from "./catalogue.ts"

export const memoriesText = defineText({
  title: "Memories",
  views: { label: "Views of memories", list: "List", graph: "Graph" },
  all: "All memories",
  add: "Add memory",
  empty: "No memories yet. The agent stores what it learns here, and you can add what it should know.",
  emptyPanel: "The agent remembers nothing yet.",
  noMatch: "No memory has this kind and tag.",
  search: "Search by meaning",
  table: "Memories, newest first",
  results: "Memories, nearest in meaning first",
  columns: {
    memory: "Memory",
    kind: "Kind",
    tags: "Tags",
    importance: "Importance",
    expires: "Expires",
    updated: "Changed",
    score: "Match"
  },
  kinds: { fact: "Fact", preference: "Preference", event: "Event", skill: "Skill" },
  kindsAbout: {
    fact: "Something that is true",
    preference: "What someone likes or wants",
    event: "Something that happened",
    skill: "How something is done"
  },
  kind: "Kind",
  tag: "Tag",
  tagFilter: "Tag, as it is spelled",
  byWords: "Words only",
  byWordsAbout: "The search couldn't compare the meaning of this memory yet, so it compared words.",
  open: "Open",
  menu: "Actions for the memory",
  dialog: {
    title: "Memory",
    addTitle: "Add a memory",
    addAbout: (agent: string) => `${agent} can find it by its meaning and use it from now on.`,
    about: "The agent uses the changed memory from now on.",
    who: "Changing memories requires the permission agents:write for this agent.",
    content: "Content",
    contentAbout: "One fact in one or two sentences is found best.",
    tooLong: "At most 8,192 bytes",
    tags: "Tags",
    tagsAbout: "Separated by commas, at most 20.",
    importance: "Importance",
    importanceAbout: "From 0 to 100. The graph shows the most important memories.",
    wrongImportance: "A whole number from 0 to 100",
    expires: "Last day",
    expiresAbout: "The memory is deleted after this day (UTC).",
    past: "A day that isn't over yet",
    optional: "optional",
    links: "Links",
    noLinks: "Not linked to another memory.",
    addLink: "Link to another memory",
    addLinkPlaceholder: "Choose a memory",
    removeLink: (label: string) => `Remove the link to ${label}`,
    unlink: "Remove",
    someMemory: "A memory that the graph doesn't show",
    source: "Stored by",
    failed: "The memory wasn't saved.",
    unchanged: "Nothing was changed.",
    addFailed: "The memory wasn't added.",
    notAdded: "The agent doesn't have it.",
    added: "The memory was added",
    saved: "The memory was saved"
  },
  remove: {
    act: "Delete memory",
    title: "Delete this memory?",
    what: "The agent forgets it, and links to it are removed. You can't undo this.",
    failed: "The memory wasn't deleted.",
    unchanged: "The agent still has it.",
    done: "The memory was deleted"
  },
  graph: {
    label: "Graph of the memories",
    listLabel: "Memories in the graph, most important first",
    shown: (shown: number, total: number) =>
      shown === total
        ? plural(total, { one: "# memory", other: "# memories" })
        : `The ${figure(shown)} most important of ${figure(total)} memories`,
    noEdges: "No memory is connected to another one yet.",
    relations: { explicit: "Linked", tag: "Common tags", similar: "Similar meaning" },
    connections: (count: number) => plural(count, { one: "# connection", other: "# connections" }),
    selected: "Connections of the selected memory",
    none: "Not connected to another memory.",
    pick: "Select a memory to see what it is connected to.",
    open: "Open memory"
  }
})
