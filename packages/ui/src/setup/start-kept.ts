/** The agent and service of the first steps, by workspace. Without them the hub's data decides. */
import { useSyncExternalStore } from "react"
import { kept } from "../app/kept.ts"

export interface StartChoice {
  readonly agent?: string | undefined
  readonly service?: string | undefined
}

type Choices = Readonly<Record<string, StartChoice>>

const text = (value: unknown): string | undefined => typeof value === "string" && value.length <= 64 ? value : undefined

const read = (value: unknown): Choices | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  return Object.fromEntries(
    Object.entries(value).flatMap(([workspace, choice]: [string, unknown]) => {
      if (typeof choice !== "object" || choice === null) return []
      const { agent, service } = choice as Readonly<Record<string, unknown>>
      return [[workspace, { agent: text(agent), service: text(service) }]]
    })
  )
}

const store = kept<Choices>("start", read)
const none: StartChoice = {}

export const useStartChoice = (workspace: string): StartChoice =>
  useSyncExternalStore(store.subscribe, () => store.get()?.[workspace] ?? none)

export const chooseForStart = (workspace: string, changed: StartChoice): void => {
  const all = store.get() ?? {}
  store.set({ ...all, [workspace]: { ...all[workspace], ...changed } })
}
