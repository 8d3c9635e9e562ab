/** The key of the demo's first agent. */
import { mintCredential } from "@countersign/domain/credentials"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { Effect, Option } from "effect"
import { createHash } from "node:crypto"
import { AgentsRepository } from "../agents/repository.ts"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { DemoRepository } from "./repository.ts"

export interface DemoKey {
  readonly agentName: string
  /** Returned once. */
  readonly apiKey: string
}

/** A new live key; the agent's other live keys end with the commit. */
export const giveKey = Effect.fnUntraced(function*(org: OrgId, agent: AgentId) {
  const agents = yield* AgentsRepository
  const { hint, token } = mintCredential("agent_key_live")
  const id = newId("key")
  yield* agents.endKeys(org, agent, "live", 0)
  yield* agents.insertKey(org, agent, { id, mode: "live", hint, hash: createHash("sha256").update(token).digest() })
  return { id, token }
})

/** Makes every hub read the workspace's configuration again after the commit. */
export const configurationChanged = Effect.fnUntraced(function*(org: OrgId) {
  const signals = yield* Signals
  const db = yield* Db
  yield* db.afterCommit(Effect.sync(() => signals.config(org)))
})

/**
 * Of two concurrent rotations the key of the later one remains. None when there is no demo, or its agent was deleted.
 */
export const rotateDemoKey = Effect.gen(function*() {
  const demo = yield* DemoRepository
  const agents = yield* AgentsRepository
  const heads = yield* OrgHeads
  const audit = yield* AuditLog
  const found = yield* demo.find
  if (Option.isNone(found)) return Option.none<DemoKey>()
  const { agent_id: id, org_id: org } = found.value
  yield* heads.lock(org)
  const agent = yield* agents.find(org, id)
  if (Option.isNone(agent)) return Option.none<DemoKey>()
  const key = yield* giveKey(org, id)
  yield* agents.bump(org, id)
  yield* audit.record(org, hubActor, {
    action: "agent.key_rotated",
    subject: { type: "agent", id },
    agent_id: id,
    data: { key_id: key.id, mode: "live", grace_seconds: 0 }
  })
  yield* configurationChanged(org)
  return Option.some<DemoKey>({ agentName: agent.value.name, apiKey: key.token })
}).pipe((work) => Effect.flatMap(Db, (db) => db.transaction(work)))
