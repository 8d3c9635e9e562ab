/**
 * The workspace's assistant: the agent for work that a person starts without naming one and that costs money. Spec:
 * reference/agents.md "Agent".
 */
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { BindingsRepository } from "./bindings-repository.ts"
import { AgentsRepository } from "./repository.ts"

const assistantName = "Assistant"

export interface AssistantUse {
  readonly service: string
  readonly operations: ReadonlyArray<string>
}

export class Assistant extends Context.Service<Assistant, {
  /**
   * The assistant, created at its first need, with a binding of the service if it never had one. A binding that a person
   * changed or disabled stays as it is. Call it outside of a transaction.
   */
  readonly of: (org: OrgId, use: AssistantUse) => Effect.Effect<AgentId>
}>()("@countersign/hub/agents/Assistant") {
  static readonly layer = Layer.effect(
    Assistant,
    Effect.gen(function*() {
      const agents = yield* AgentsRepository
      const bindings = yield* BindingsRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const create = Effect.fnUntraced(function*(org: OrgId) {
        const id = newId("agt") as AgentId
        yield* agents.insert(org, {
          id,
          name: assistantName,
          kind: "yupi",
          description: "",
          icon: null,
          category: null,
          personality: null,
          voice_config: null,
          owner_user_id: null
        }, null)
        yield* audit.record(org, hubActor, {
          action: "agent.created",
          subject: { type: "agent", id },
          agent_id: id,
          data: { name: assistantName, kind: "yupi" }
        })
        return id
      })

      const prepare = Effect.fn("Assistant.prepare")(function*(org: OrgId, { operations, service }: AssistantUse) {
        yield* heads.lock(org)
        const existing = yield* agents.assistant(org)
        const id = Option.isSome(existing) ? existing.value : yield* create(org)
        if (Option.isSome(yield* bindings.find(org, id, service))) return id
        yield* bindings.put(org, id, newId("bnd"), { service, operations, enabled: true })
        yield* agents.bump(org, id)
        yield* audit.record(org, hubActor, {
          action: "binding.put",
          subject: { type: "agent", id },
          agent_id: id,
          data: { service, new: true, operations, enabled: true }
        })
        yield* db.afterCommit(Effect.sync(() => signals.config(org)))
        return id
      }, db.transaction)

      return Assistant.of({
        of: Effect.fnUntraced(function*(org, use) {
          const existing = yield* agents.assistant(org)
          const isReady = Option.isSome(existing) &&
            Option.isSome(yield* bindings.find(org, existing.value, use.service))
          return isReady ? existing.value : yield* prepare(org, use)
        })
      })
    })
  )
}
