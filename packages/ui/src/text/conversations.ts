import { defineText, plural } from "./catalogue.ts"

export const conversationsText = defineText({
  title: "Conversations",
  one: "Conversation",
  untitled: "Untitled conversation",
  messages: (count: number) => plural(count, { one: "# message", other: "# messages" }),
  more: "Show more",
  about: "Stored by the agent. You can read it here; messages are added through the API.",
  empty: "This conversation has no messages yet.",
  earlier: "Show earlier messages",
  thread: "Messages, oldest first",
  roles: { user: "User", assistant: "Assistant", system: "System", tool: "Tool" }
})
