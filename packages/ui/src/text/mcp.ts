import { defineText, plural } from "./catalogue.ts"

export const mcpText = defineText({
  add: "MCP server",
  newTitle: "Add MCP server",
  about: "The server's tools become operations of the service. Each tool is pinned as it is now.",
  name: "Name",
  nameAbout: "Lower case, such as search",
  url: "Address",
  urlAbout: "Of the server's streamable HTTP endpoint",
  price: "Price of each call",
  priceWrong: "Enter an amount, such as 0.02.",
  act: "Add server",
  failed: "The server was not added.",
  unchanged: "The catalog is unchanged.",
  created: (name: string) => `${name} is added.`,

  tools: "Tools",
  reviewTools: "Review tools",
  what: "Agents call tools as they were accepted. New tools and changed schemas are blocked until you accept them.",
  list: "Tools",
  empty: "The server lists no tools.",
  refresh: "Read again",
  refreshed: "The tools were read.",
  refreshFailed: "The tools were not read.",
  toolsUnchanged: "The accepted tools are unchanged.",
  readAt: "Read {time}",
  readFailed: (error: string) => `The last read failed: ${error}`,
  pending: (count: number) => plural(count, { one: "# tool needs a decision", other: "# tools need a decision" }),
  noWrite: "Accepting and refusing tools needs the permission catalog:write.",
  states: {
    pinned: "Accepted",
    new: "New",
    changed: "Changed",
    refused: "Refused",
    removed: "Removed"
  },
  meanings: {
    pinned: "Callable",
    new: "Not callable until you accept it",
    wordsChanged: "Callable with the accepted words",
    schemaChanged: "Not callable until you accept the new schema",
    refused: "Not callable",
    removed: "The server no longer lists it"
  },
  review: "Review",
  reviewOf: (tool: string) => `Review ${tool}`,
  reviewTitle: (tool: string) => `Review the tool ${tool}`,
  reviewNew: "The server offers this tool. Read what models will see before you accept it.",
  reviewWords: "The server changed the words of this tool. Words can instruct a model.",
  reviewSchema: "The server changed the schema of this tool. It is blocked until you accept the change.",
  accept: "Accept",
  refuse: "Refuse",
  accepted: (tool: string) => `${tool} is accepted.`,
  refused: (tool: string) => `${tool} is refused.`,
  decideFailed: "Nothing was decided.",
  changes: {
    show: "Show",
    hide: "Hide",
    same: "Nothing differs.",
    added: "Added",
    removed: "Removed",
    changed: "Changed",
    masked: "Hidden",
    notComparable: "Hidden values can't be compared.",
    unchangedCount: (count: number) =>
      plural(count, { one: "Show # unchanged field", other: "Show # unchanged fields" })
  }
})
