/**
 * Every key of the console: its name, what it is set to, and where. Single keys can be remapped and switched off (WCAG 2.1.4); what needs
 * Ctrl or Cmd stays. A sequence is keys with a blank between: `g i`. `Mod` is Cmd on Apple, Ctrl elsewhere.
 */
import { useSyncExternalStore } from "react"
import { kept } from "./kept.ts"

export const keyGroups = ["go", "list", "decide", "view", "everywhere"] as const
export type KeyGroup = (typeof keyGroups)[number]

const standard = {
  "go.inbox": "g i",
  "go.requests": "g r",
  "go.agents": "g a",
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
  "everywhere.back": "Escape",
  "everywhere.palette": "Mod+K",
  "everywhere.keys": "?"
} as const

export type KeyName = keyof typeof standard
export const keyNames = Object.keys(standard) as ReadonlyArray<KeyName>
export const groupOf = (name: KeyName): KeyGroup => name.slice(0, name.indexOf(".")) as KeyGroup

export interface KeySettings {
  /** Keys without Ctrl or Cmd do nothing. Enter and Escape stay: they are not characters. */
  readonly singleOff: boolean
  readonly changed: { readonly [K in KeyName]?: string }
}

const noSettings: KeySettings = { singleOff: false, changed: {} }

/** One to three keys with blanks between, each a character or a name, with `Mod+`, `Alt+`, `Shift+` before. */
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

/** Sequence by name; undefined where switched off. */
export const boundKeys = (name: KeyName, settings: KeySettings): string | undefined => {
  const keys = settings.changed[name] ?? standard[name]
  return settings.singleOff && isSingle(keys) ? undefined : keys
}

/** Names whose sequence is this one's or begins with it, or the other way round, among those that act in the same place. */
export const conflicts = (name: KeyName, keys: string, settings: KeySettings): ReadonlyArray<KeyName> =>
  keyNames.filter((other) => {
    const theirs = settings.changed[other] ?? standard[other]
    return other !== name && (theirs === keys || theirs.startsWith(`${keys} `) || keys.startsWith(`${theirs} `))
  })

export const currentKeySettings = (): KeySettings => store.get() ?? noSettings
export const setKeySettings = (settings: KeySettings): void => store.set(settings)
export const useKeySettings = (): KeySettings => useSyncExternalStore(store.subscribe, currentKeySettings)

/** Key caps to show beside an act: `["g", "i"]`; undefined where there are none. */
export const keyCaps = (keys: string | undefined, apple: boolean): ReadonlyArray<string> | undefined =>
  keys?.split(" ").flatMap((key) =>
    key.split("+").map((part) =>
      part === "Mod" ? (apple ? "⌘" : "Ctrl") : part === "Shift" ? "⇧" : part === "Escape" ? "Esc" : part
    )
  )
