import { useAgentChoices } from "../app/agent-choices.ts"
import type { Filter } from "../patterns/filter-bar.tsx"
import { listingText as t } from "../text/listing.ts"
import { type Changes, oneFilter } from "./filters.tsx"

/** The filter of a list by agent. The agent in the address may be missing among the choices. */
export const useAgentFilter = (agent: string | undefined, change: (changes: Changes) => void): Filter => {
  const agents = useAgentChoices()
  const isListed = agent === undefined || agents.some(({ id }) => id === agent)
  return oneFilter("agent_id", t.agent, agent, change, [
    ...isListed ? [] : [{ value: agent, text: t.oneAgent }],
    ...agents.map(({ id, name }) => ({ value: id as string, text: name }))
  ])
}
