/**
 * The object of a notice as of now: which people it concerns, and its words. Read when a notice is written and again
 * whenever it is sent, so that a decided approval or a lost right notifies nobody. Spec: reference/notices.md
 * "Recipients".
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { AgentRequestsRepository } from "../agent-requests/repository.ts"
import { ApprovalsRepository } from "../approvals/repository.ts"
import { mayApprove } from "../approvals/rules.ts"
import { seesOwnOnly } from "../auth/own.ts"
import { has, type Recipient } from "./recipients-repository.ts"
import type { Noticed } from "./rules.ts"
import { SubjectsRepository } from "./subjects-repository.ts"
import {
  type Words,
  wordsOfAgentRequest,
  wordsOfAlert,
  wordsOfApp,
  wordsOfApproval,
  wordsOfEndpoint,
  wordsOfRun
} from "./words.ts"

export interface Subject {
  readonly concerns: (person: Recipient) => boolean
  readonly words: Words
  /** When it ends by itself. */
  readonly expiresAt?: Date
}

export class Subjects extends Context.Service<Subjects, {
  /** Undefined when it is gone, or requires no attention any more. */
  readonly find: (org: OrgId, noticed: Noticed) => Effect.Effect<Subject | undefined>
}>()("@countersign/hub/notices/Subjects") {
  static readonly layer = Layer.effect(
    Subjects,
    Effect.gen(function*() {
      const approvals = yield* ApprovalsRepository
      const requests = yield* AgentRequestsRepository
      const repository = yield* SubjectsRepository

      const approval = Effect.fnUntraced(function*(org: OrgId, id: string): Effect.fn.Return<Subject | undefined> {
        const row = Option.getOrUndefined(yield* approvals.find(org, id))
        if (row === undefined || row.status !== "pending" || row.overdue) return undefined
        const rules = yield* approvals.orgSettings(org)
        const votes = (yield* approvals.votes(org, [id])).get(id) ?? []
        return {
          concerns: (person) => mayApprove(row, person, rules) && !votes.some(({ user }) => user.id === person.id),
          words: wordsOfApproval(row),
          expiresAt: row.expires_at
        }
      })

      const agentRequest = Effect.fnUntraced(function*(org: OrgId, id: string): Effect.fn.Return<Subject | undefined> {
        const row = Option.getOrUndefined(yield* requests.find(org, id))
        if (row === undefined || row.status !== "open") return undefined
        const agent = yield* repository.agent(org, row.agent_id)
        return {
          concerns: (person) => has(person, "approvals:decide", row.team_id),
          words: wordsOfAgentRequest(id, row.kind, agent?.name ?? ""),
          ...row.expires_at === null ? {} : { expiresAt: row.expires_at }
        }
      })

      const alert = Effect.fnUntraced(
        function*(org: OrgId, { facts, subject_id }: Noticed): Effect.fn.Return<Subject | undefined> {
          const agent = yield* repository.agent(org, subject_id)
          return agent === undefined ? undefined : {
            concerns: (person) => has(person, "budgets:write", agent.team_id) || agent.owner_user_id === person.id,
            words: wordsOfAlert(subject_id, agent.name, facts)
          }
        }
      )

      const run = Effect.fnUntraced(
        function*(org: OrgId, { facts, subject_id }: Noticed): Effect.fn.Return<Subject | undefined> {
          const row = yield* repository.run(org, subject_id)
          // The run that started it fails with it, and is the one that a person repeats.
          if (row === undefined || row.status !== "failed" || row.parent_run_id !== null) return undefined
          return {
            concerns: (person) =>
              (has(person, "workflows:read") && !seesOwnOnly(person.role)) || row.workflow_owner === person.id ||
              row.source_id === person.id,
            words: wordsOfRun(subject_id, row.workflow_name, row.mode, facts)
          }
        }
      )

      const app = Effect.fnUntraced(function*(org: OrgId, id: string): Effect.fn.Return<Subject | undefined> {
        const row = yield* repository.app(org, id)
        return row === undefined || row.status !== "needs_reauth" ? undefined : {
          concerns: (person) =>
            row.user_id === person.id || (row.visibility === "workspace" && has(person, "workspace:write")),
          words: wordsOfApp(id, row.name, row.provider)
        }
      })

      return Subjects.of({
        find: (org, noticed) => {
          const { event, facts, subject_id: id } = noticed
          switch (event) {
            case "approval.created":
              return approval(org, id)
            case "agent_request.created":
              return agentRequest(org, id)
            case "budget.alert":
              return alert(org, noticed)
            case "run.failed":
              return run(org, noticed)
            case "app.needs_reauth":
              return app(org, id)
            case "webhook_endpoint.disabled":
              return Effect.succeed({
                concerns: (person) => has(person, "workspace:write"),
                words: wordsOfEndpoint(id, facts)
              })
          }
        }
      })
    })
  )
}
