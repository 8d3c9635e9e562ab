import { useQuery } from "@tanstack/react-query"
import { agentChoices } from "../hub/queries.ts"
import { useCan, useWorkspaceId } from "./session.ts"

/** The agents of the workspace; none while they load, and none for a person without the permission to read agents. */
export const useAgentChoices = () => {
  const mayRead = useCan()("agents:read")
  return useQuery({ ...agentChoices(useWorkspaceId()), enabled: mayRead }).data?.data ?? []
}
