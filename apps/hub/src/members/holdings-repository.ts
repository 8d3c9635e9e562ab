/** A member's possessions in a workspace, and the statements that transfer or stop them. */
import type { AgentStatus } from "@countersign/domain/agents"
import type { DeviceState } from "@countersign/domain/devices"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { holdingsShownMax, type MemberHoldings } from "@countersign/domain/members"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface OwnedAgent {
  readonly id: AgentId
  readonly name: string
  readonly status: AgentStatus
}

export interface OwnedDevice {
  readonly id: string
  readonly name: string
  readonly state: DeviceState
  readonly state_by: "hub" | "device"
}

interface Counted {
  readonly total: number
}

export class HoldingsRepository extends Context.Service<HoldingsRepository, {
  readonly read: (org: OrgId, user: string) => Effect.Effect<MemberHoldings>
  /**
   * In order of id, locked until the transaction ends. Call it before the workspace's lock: changes of devices lock in
   * that order.
   */
  readonly lockDevices: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<OwnedDevice>>
  readonly transferDevice: (org: OrgId, id: string, to: string) => Effect.Effect<void>
  readonly drainDevice: (org: OrgId, id: string) => Effect.Effect<void>
  /** Agents that are not deleted, without the workspace's assistant. Call it under the workspace's lock. */
  readonly agents: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<OwnedAgent>>
  readonly transferAgents: (org: OrgId, user: string, to: string) => Effect.Effect<void>
  /** Pauses the active ones. */
  readonly pauseAgents: (org: OrgId, user: string) => Effect.Effect<void>
  /** Standing approvals that the person created and that can still apply. */
  readonly standingApprovals: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<string>>
  /** Deletes the views that only the person can see. */
  readonly removePrivateViews: (org: OrgId, user: string) => Effect.Effect<void>
}>()("@countersign/hub/members/HoldingsRepository") {
  static readonly layer = Layer.effect(
    HoldingsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const owned = (org: OrgId, user: string) =>
        sql`a.org_id = ${org} and a.owner_user_id = ${user} and a.deleted_at is null and a.kind <> 'yupi'`
      /** Dispatch reads an agent again when an agent whose tasks it works on changes. */
      const touchDelegates = (org: OrgId, user: string) =>
        sql`update agents set version = version + 1 where org_id = ${org} and id in (
          select t.to_agent_id from delegated_tasks t join agents a on a.id = t.from_agent_id
          where t.org_id = ${org} and t.ended_at is null and ${owned(org, user)})`
      const living = (org: OrgId, user: string) =>
        sql`s.org_id = ${org} and s.created_by = ${user} and s.withdrawn_at is null and s.expires_at > clock_timestamp()`
      const shown = <A extends object>(rows: ReadonlyArray<A & Counted>) => ({
        count: rows[0]?.total ?? 0,
        data: rows.map(({ total: _, ...row }) => row)
      })
      return HoldingsRepository.of({
        read: Effect.fnUntraced(function*(org, user) {
          const agents = yield* sql<MemberHoldings["agents"]["data"][number] & Counted>`select a.id, a.name, a.status,
            count(*) over () as total
          from agents a where ${owned(org, user)} order by a.id limit ${holdingsShownMax}`
          const devices = yield* sql<MemberHoldings["devices"]["data"][number] & Counted>`select d.id, d.name, d.state,
            count(*) over () as total
          from devices d where d.org_id = ${org} and d.owner_user_id = ${user} and d.state <> 'revoked'
          order by d.id limit ${holdingsShownMax}`
          const apps = yield* sql<
            MemberHoldings["apps"]["data"][number] & Counted
          >`select a.id, a.name, a.provider, a.status,
            count(*) over () as total
          from apps a where a.org_id = ${org} and a.user_id = ${user} and a.status <> 'revoked'
          order by a.id limit ${holdingsShownMax}`
          const workflows = yield* sql<
            MemberHoldings["workflows"]["data"][number] & Counted
          >`select w.id, w.name, count(*) over () as total
          from workflows w where w.org_id = ${org} and w.owner_user_id = ${user} and w.deleted_at is null
          order by w.id limit ${holdingsShownMax}`
          const standing = yield* sql<
            MemberHoldings["standing_approvals"]["data"][number] & Counted
          >`select s.id, s.agent_id,
            a.name as agent_name, s.service, s.operation, s.max_cost_cents, count(*) over () as total
          from standing_approvals s join agents a on a.id = s.agent_id
          where ${living(org, user)} order by s.id limit ${holdingsShownMax}`
          const policies = yield* sql<
            MemberHoldings["policies"]["data"][number] & Counted
          >`select id, name, count(*) over () as total
          from policies where org_id = ${org} and position(${user} in deciders) > 0 order by position limit ${holdingsShownMax}`
          const teams = yield* sql<MemberHoldings["teams"]["data"][number] & Counted>`select t.id, t.name,
            w.cap - w.used as allocation_cents, w.held as held_cents, count(*) over () as total
          from team_members m
          join teams t on t.id = m.team_id
          left join team_wallets x on x.team_id = m.team_id and x.user_id = m.user_id and x.ended_at is null
          left join limits w on w.id = x.limit_id
          where m.org_id = ${org} and m.user_id = ${user} order by t.id limit ${holdingsShownMax}`
          const [counts] = yield* sql<
            { pending: number; tokens: number; private_views: number; shared_views: number }
          >`select
            (select count(*) from views where org_id = ${org} and user_id = ${user} and not shared) as private_views,
            (select count(*) from views where org_id = ${org} and user_id = ${user} and shared) as shared_views,
            (select count(*) from approvals p join agents a on a.id = p.agent_id
              where p.org_id = ${org} and p.status = 'pending' and ${owned(org, user)}) as pending,
            (select count(*) from tokens where org_id = ${org} and user_id = ${user} and expires_at > clock_timestamp()) as tokens`
          return {
            agents: shown(agents),
            devices: shown(devices),
            apps: shown(apps),
            workflows: shown(workflows),
            standing_approvals: shown(standing),
            policies: shown(policies),
            teams: shown(teams),
            pending_approvals: counts?.pending ?? 0,
            tokens: counts?.tokens ?? 0,
            private_views: counts?.private_views ?? 0,
            shared_views: counts?.shared_views ?? 0
          }
        }, Effect.orDie),
        lockDevices: (org, user) =>
          sql<OwnedDevice>`select id, name, state, state_by from devices
          where org_id = ${org} and owner_user_id = ${user} and state <> 'revoked' order by id for no key update`.pipe(
            Effect.orDie
          ),
        transferDevice: (org, id, to) =>
          Effect.orDie(
            Effect.asVoid(sql`update devices set owner_user_id = ${to} where org_id = ${org} and id = ${id}`)
          ),
        drainDevice: (org, id) =>
          Effect.orDie(Effect.asVoid(sql`update devices set state = 'draining', state_by = 'hub', resuming = false
          where org_id = ${org} and id = ${id}`)),
        agents: (org, user) =>
          sql<OwnedAgent>`select a.id, a.name, a.status from agents a where ${owned(org, user)} order by a.id`.pipe(
            Effect.orDie
          ),
        transferAgents: (org, user, to) =>
          touchDelegates(org, user).pipe(
            Effect.andThen(sql`update agents a set owner_user_id = ${to}, version = version + 1,
            edit_version = edit_version + 1, updated_at = now() where ${owned(org, user)}`),
            Effect.asVoid,
            Effect.orDie
          ),
        pauseAgents: (org, user) =>
          touchDelegates(org, user).pipe(
            Effect.andThen(sql`update agents a set status = 'paused', version = version + 1,
            edit_version = edit_version + 1, updated_at = now() where ${owned(org, user)} and a.status = 'active'`),
            Effect.asVoid,
            Effect.orDie
          ),
        standingApprovals: (org, user) =>
          sql<{ id: string }>`select s.id from standing_approvals s where ${living(org, user)} order by s.id`.pipe(
            Effect.map((rows) => rows.map(({ id }) => id)),
            Effect.orDie
          ),
        removePrivateViews: (org, user) =>
          Effect.orDie(
            Effect.asVoid(sql`delete from views where org_id = ${org} and user_id = ${user} and not shared`)
          )
      })
    })
  )
}
