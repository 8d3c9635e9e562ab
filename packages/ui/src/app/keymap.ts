/**
 * Every shortcut of the console: its name, its keys, and its scope. Single-key shortcuts can be changed and switched
 * off (WCAG 2.1.4); shortcuts with Ctrl or Cmd are fixed. A sequence is keys separated by a space: `g i`. `Mod` is Cmd
 * on Apple, Ctrl elsewhere.
 */
import { useSyncExternalStore } from "react"
import { kept } from "./kept.ts"

export const keyGroups = ["go", "list", "decide", "view", "chat", "everywhere"] as const
export type KeyGroup = (typeof keyGroups)[number]

const standard = {
  "go.inbox": "g i",
  "go.requests": "g r",
  "go.chat": "g h",
  "go.agents": "g a",
  "go.teams": "g t",
  "go.workflows": "g w",
  "go.devices": "g d",
  "go.catalog": "g c",
  "go.money": "g m",
  "go.usage": "g u",
  "go.audit": "g l",
  "go.standing": "g s",
  "go.policies": "g p",
  "go.settings": "g e",
  "list.next": "j",
  "list.previous": "k",
  "list.open": "Enter",
  "list.select": "x",
  "list.pagePrevious": "[",
  "list.pageNext": "]",
  "list.search": "/",
  "list.news": "n",
  "decide.approve": "Shift+A",
  "decide.reject": "Shift+R",
  "decide.edit": "e",
  "decide.standing": "s",
  "decide.batch": "b",
  "decide.undo": "z",
  "view.form": "v f",
  "view.json": "v j",
  "view.diff": "v d",
  "chat.edit": "e",
  "chat.retry": "r",
  "chat.branchPrevious": "[",
  "chat.branchNext": "]",
  "everywhere.back": "Escape",
  "everywhere.palette": "Mod+K",
  "everywhere.keys": "?"
} as const

export type KeyName = keyof typeof standard
export const keyNames = Object.keys(standard) as ReadonlyArray<KeyName>
export const groupOf = (name: KeyName): KeyGroup => name.slice(0, name.indexOf(".")) as KeyGroup

export interface KeySettings {
  /** Shortcuts without Ctrl or Cmd are disabled. Enter and Escape still work: they are not characters. */
  readonly singleOff: boolean
  readonly changed: { readonly [K in KeyName]?: string }
}

const noSettings: KeySettings = { singleOff: false, changed: {} }

/** One to three keys separated by spaces, each a character or a key name, with optional `Mod+`, `Alt+`, `Shift+`. */
const sequence = /^(?:(?:Mod\+)?(?:Alt\+)?(?:Shift\+)?(?:[!-~]|[A-Z][A-Za-z]{2,11})(?: (?=\S)|$)){1,3}$/u
export const isSequence = (text: string): boolean => sequence.test(text)

const readSettings = (value: unknown): KeySettings | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const { changed, singleOff } = value as { readonly changed?: unknown; readonly singleOff?: unknown }
  const entries = Object.entries(typeof changed === "object" && changed !== null ? changed : {})
  return {
    singleOff: singleOff === true,
    changed: Object.fromEntries(
      entries.filter(([name, keys]) => name in standard && typeof keys === "string" && isSequence(keys))
    )
  }
}

const store = kept<KeySettings>("keys", readSettings)

export const isSingle = (keys: string): boolean => !/(?:Mod|Alt)\+/u.test(keys) && keys !== "Enter" && keys !== "Escape"

/** The sequence of a name; undefined if switched off. */
export const boundKeys = (name: KeyName, settings: KeySettings): string | undefined => {
  const keys = settings.changed[name] ?? standard[name]
  return settings.singleOff && isSingle(keys) ? undefined : keys
}

/** Scopes that share no screen: the chat has no rows and no request to decide. */
const isApart = (one: KeyName, other: KeyName): boolean =>
  groupOf(one) === "chat" && ["list", "decide", "view"].includes(groupOf(other)) && other !== "list.search"

/** Shortcuts of the same scope whose sequence equals this one, starts with it, or is its start. */
export const conflicts = (name: KeyName, keys: string, settings: KeySettings): ReadonlyArray<KeyName> =>
  keyNames.filter((other) => {
    const theirs = settings.changed[other] ?? standard[other]
    return other !== name && !isApart(name, other) && !isApart(other, name) &&
      (theirs === keys || theirs.startsWith(`${keys} `) || keys.startsWith(`${theirs} `))
  })

export const currentKeySettings = (): KeySettings => store.get() ?? noSettings
export const setKeySettings = (settings: KeySettings): void => store.set(settings)
export const useKeySettings = (): KeySettings => useSyncExternalStore(store.subscribe, currentKeySettings)

/** Key caps to show beside an action: `["g", "i"]`; undefined if there are none. */
export const keyCaps = (keys: string | undefined, apple: boolean): ReadonlyArray<string> | undefined =>
  keys?.split(" ").flatMap((key) =>
    key.split("+").map((part) =>
      part === "Mod" ? (apple ? "⌘" : "Ctrl") : part === "Shift" ? "⇧" : part === "Escape" ? "Esc" : part
    )
  )
