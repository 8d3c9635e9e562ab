/** A run acts as its agent, in the services that take an agent's call. */
import type { AgentPrincipal } from "@countersign/domain/auth"
import type { AgentId, KeyId, OrgId } from "@countersign/domain/ids"
import type { RunRecord } from "./records.ts"

export const agentPrincipalOf = (
  { agent, agentName, mode, org }: Pick<RunRecord, "agent" | "agentName" | "mode" | "org">
): AgentPrincipal => ({
  kind: "agent",
  org_id: org as OrgId,
  agent_id: agent as AgentId,
  agent_name: agentName,
  mode,
  // No key: the run is not a call.
  key_id: "key_" as KeyId,
  agent_version: 0,
  ip: ""
})
