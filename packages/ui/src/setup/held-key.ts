/** A key that the hub has just shown, kept while this page is open. It is not stored. */
import { sharedValue, useSharedValue } from "../components/shared-value.ts"

const keys = sharedValue<ReadonlyMap<string, string>>(new Map())

export const holdKey = (agent: string, key: string): void => keys.set(new Map(keys.get()).set(agent, key))

export const useHeldKey = (agent: string | undefined): string | undefined => {
  const held = useSharedValue(keys)
  return agent === undefined ? undefined : held.get(agent)
}
