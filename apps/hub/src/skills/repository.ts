/** Skill proposals, and the custom skills that accepted ones become. */
import type { AgentId, OrgId, SkillProposalId } from "@countersign/domain/ids"
import type { SkillProposalStatus } from "@countersign/domain/skills"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { PersonColumns } from "../auth/named.ts"
import { textArray } from "../platform/db.ts"

export interface ProposalRow {
  readonly id: SkillProposalId
  readonly agent_id: AgentId
  readonly name: string
  readonly description: string
  readonly instructions: string
  readonly operations: ReadonlyArray<string>
  readonly rationale: string
  readonly status: SkillProposalStatus
  readonly decided_by: PersonColumns | null
  readonly comment: string | null
  readonly created_at: Date
  readonly decided_at: Date | null
  readonly deleted_at: Date | null
}

export interface NewProposal {
  readonly id: SkillProposalId
  readonly agent_id: AgentId
  readonly name: string
  readonly description: string
  readonly instructions: string
  readonly operations: ReadonlyArray<string>
  readonly rationale: string
  readonly created_at: Date
}

export interface ProposalFilter {
  readonly agent: AgentId
  readonly status: SkillProposalStatus | undefined
  readonly before: string | undefined
  readonly limit: number
}

export class SkillsRepository extends Context.Service<SkillsRepository, {
  readonly insert: (org: OrgId, proposal: NewProposal) => Effect.Effect<void>
  readonly find: (org: OrgId, agent: AgentId, id: string) => Effect.Effect<Option.Option<ProposalRow>>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: ProposalFilter) => Effect.Effect<ReadonlyArray<ProposalRow>>
  /** The number of undecided proposals of an agent. */
  readonly undecided: (org: OrgId, agent: AgentId) => Effect.Effect<number>
  /** The accepted proposals of an agent that are not deleted, newest first. */
  readonly custom: (org: OrgId, agent: AgentId) => Effect.Effect<ReadonlyArray<ProposalRow>>
  /** Call it under the workspace's lock, on an undecided proposal. */
  readonly decide: (
    org: OrgId,
    id: string,
    decision: {
      readonly status: Exclude<SkillProposalStatus, "proposed">
      readonly comment: string | null
      readonly by: string
      readonly at: Date
    }
  ) => Effect.Effect<void>
  /** Ends a custom skill; the proposal stays. Call it under the workspace's lock. */
  readonly remove: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
}>()("@countersign/hub/skills/SkillsRepository") {
  static readonly layer = Layer.effect(
    SkillsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = (org: OrgId, agent: AgentId) =>
        sql`select p.id, p.agent_id, p.name, p.description, p.instructions, p.operations, p.rationale, p.status,
          case when u.id is not null then json_build_object('id', u.id, 'name', u.name, 'email', u.email) end as decided_by, p.comment, p.created_at, p.decided_at, p.deleted_at
        from skill_proposals p left join users u on u.id = p.decided_by
        where p.org_id = ${org} and p.agent_id = ${agent}`
      return SkillsRepository.of({
        insert: (org, proposal) =>
          sql`insert into skill_proposals (id, org_id, agent_id, name, description, instructions, operations, rationale,
            created_at)
          values (${proposal.id}, ${org}, ${proposal.agent_id}, ${proposal.name}, ${proposal.description},
            ${proposal.instructions}, ${
            textArray(proposal.operations)
          }::text[], ${proposal.rationale}, ${proposal.created_at})`
            .pipe(Effect.asVoid, Effect.orDie),
        find: (org, agent, id) =>
          sql<ProposalRow>`${rows(org, agent)} and p.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, { agent, before, limit, status }) => {
          const conditions = sql.and([
            sql`true`,
            ...(status === undefined ? [] : [sql`p.status = ${status}`]),
            ...(before === undefined ? [] : [sql`p.id < ${before}`])
          ])
          return sql<ProposalRow>`${rows(org, agent)} and ${conditions} order by p.id desc limit ${limit + 1}`.pipe(
            Effect.orDie
          )
        },
        undecided: (org, agent) =>
          sql<{ n: number }>`select count(*)::int as n from skill_proposals
          where org_id = ${org} and agent_id = ${agent} and status = 'proposed'`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        custom: (org, agent) =>
          sql<ProposalRow>`${rows(org, agent)} and p.status = 'accepted' and p.deleted_at is null order by p.id desc`
            .pipe(Effect.orDie),
        decide: (org, id, { at, by, comment, status }) =>
          sql`update skill_proposals set status = ${status}, comment = ${comment}, decided_by = ${by}, decided_at = ${at}
          where org_id = ${org} and id = ${id} and status = 'proposed'`.pipe(Effect.asVoid, Effect.orDie),
        remove: (org, id, at) =>
          sql`update skill_proposals set deleted_at = ${at} where org_id = ${org} and id = ${id} and deleted_at is null`
            .pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}
