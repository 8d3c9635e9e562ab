/** The shown path through the tree of a chat's messages, and its branches. Pure. */
import type { ChatMessage } from "@countersign/domain/chat-events"

export interface ThreadEntry {
  readonly message: ChatMessage
  /** The messages in its place, oldest first, with itself. */
  readonly branches: ReadonlyArray<ChatMessage>
}

/** Ids rise with time. */
const byAge = (one: ChatMessage, other: ChatMessage): number => one.id < other.id ? -1 : one.id > other.id ? 1 : 0

/** A message whose parent was not read yet begins the thread. */
const parentOf = (message: ChatMessage, known: ReadonlyMap<string, ChatMessage>): string | undefined =>
  message.parent_id !== undefined && known.has(message.parent_id) ? message.parent_id : undefined

const childrenOf = (messages: ReadonlyArray<ChatMessage>, known: ReadonlyMap<string, ChatMessage>) =>
  Map.groupBy([...messages].sort(byAge), (message) => parentOf(message, known))

/** The newest message at or below this one. */
export const leafBelow = (messages: ReadonlyArray<ChatMessage>, id: string): string => {
  const children = childrenOf(messages, new Map(messages.map((message) => [message.id, message])))
  const below = (from: string): string =>
    (children.get(from) ?? []).map((child) => below(child.id)).reduce((one, other) => one > other ? one : other, from)
  return below(id)
}

/** From the first message to `leaf`; by default, and for an unknown leaf, to the newest message. */
export const threadTo = (
  messages: ReadonlyArray<ChatMessage>,
  leaf: string | undefined
): ReadonlyArray<ThreadEntry> => {
  const known = new Map<string, ChatMessage>(messages.map((message) => [message.id, message]))
  const children = childrenOf(messages, known)
  const newest = [...messages].sort(byAge).at(-1)
  const path: Array<ThreadEntry> = []
  let at = (leaf === undefined ? undefined : known.get(leaf)) ?? newest
  // No id is its own ancestor, so the path has at most every message.
  while (at !== undefined && path.length < messages.length) {
    const parent = parentOf(at, known)
    path.unshift({ message: at, branches: children.get(parent) ?? [at] })
    at = parent === undefined ? undefined : known.get(parent)
  }
  return path
}

/** The branch before or after the entry's message; undefined at the ends. */
export const branchBeside = ({ branches, message }: ThreadEntry, by: -1 | 1): ChatMessage | undefined =>
  branches[branches.findIndex(({ id }) => id === message.id) + by]

/** The text that the person or the agent wrote, without calls and thinking. */
export const textOf = ({ parts }: ChatMessage): string =>
  parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n\n")
