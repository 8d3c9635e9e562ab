/**
 * The effects of a person's departure on their agents, devices, apps, and standing approvals. Spec: reference/accounts.md
 * "Member removal".
 */
import type { Conflict } from "@countersign/domain/errors"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { type Actor, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { HoldingsRepository, type OwnedDevice } from "./holdings-repository.ts"

/** The reason in the audit entries of changes that a removal causes. */
const reason = "member_removed"

export interface Leaving {
  readonly org: OrgId
  readonly user: string
  /** Absent: agents, their schedules and triggers are paused, devices drained, and apps disconnected. */
  readonly transferTo: string | undefined
  readonly actor: Actor
}

/** The service of standing approvals that a departure needs. */
export class StandingApprovalsOfMember extends Context.Service<StandingApprovalsOfMember, {
  /** Runs in the caller's transaction. Returns its agent; none when it was already revoked or does not exist. */
  readonly withdraw: (org: OrgId, id: string) => Effect.Effect<Option.Option<AgentId>>
}>()("@countersign/hub/members/StandingApprovalsOfMember") {}

/** The service of teams that a departure needs. */
export class TeamsOfMember extends Context.Service<TeamsOfMember, {
  /**
   * Takes the person out of all teams, and returns their allocations to the pools. Runs in the caller's transaction,
   * under the workspace's lock, at its time. Returns the number of teams; 409 `holds_open`.
   */
  readonly leave: (leaving: Leaving, at: Date) => Effect.Effect<number, Conflict>
  /** The same for one team. Returns the cents of the allocation. */
  readonly leaveTeam: (
    leaving: Pick<Leaving, "actor" | "org" | "user">,
    team: string,
    at: Date
  ) => Effect.Effect<number, Conflict>
}>()("@countersign/hub/members/TeamsOfMember") {}

/** The service of connected apps that a departure needs. */
export class AppsOfMember extends Context.Service<AppsOfMember, {
  /**
   * Transfers the person's apps, or disconnects them. Runs in the caller's transaction, under the workspace's lock.
   * Returns the number of changed apps.
   */
  readonly leave: (leaving: Leaving) => Effect.Effect<number>
}>()("@countersign/hub/members/AppsOfMember") {}

/** The service of workflows that a departure needs. */
export class WorkflowsOfMember extends Context.Service<WorkflowsOfMember, {
  /**
   * Transfers the person's workflows, or leaves them without an owner. Runs in the caller's transaction, under the
   * workspace's lock. Returns the number of changed workflows.
   */
  readonly leave: (leaving: Leaving, at: Date) => Effect.Effect<number>
}>()("@countersign/hub/members/WorkflowsOfMember") {}

/** The schedules and triggers of a person's agents that a departure pauses. */
export class FiringsOfMember extends Context.Service<FiringsOfMember, {
  /** Runs in the caller's transaction, under the workspace's lock, at its time. Returns the number of paused ones. */
  readonly pause: (leaving: Leaving, at: Date) => Effect.Effect<number>
}>()("@countersign/hub/members/FiringsOfMember") {}

export class Departure extends Context.Service<Departure, {
  /** Runs in the caller's transaction, before the workspace's lock. */
  readonly devices: (leaving: Leaving) => Effect.Effect<number>
  /** Runs in the caller's transaction, under the workspace's lock. */
  readonly agents: (leaving: Leaving) => Effect.Effect<number>
  /**
   * Revokes the standing approvals that the person created, regardless of the agents' new owner. Call it under the
   * workspace's lock.
   */
  readonly standingApprovals: (leaving: Leaving) => Effect.Effect<number>
}>()("@countersign/hub/members/Departure") {
  static readonly layer = Layer.effect(
    Departure,
    Effect.gen(function*() {
      const holdings = yield* HoldingsRepository
      const standing = yield* StandingApprovalsOfMember
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const agents = Effect.fn("Departure.agents")(function*({ actor, org, transferTo, user }: Leaving) {
        const owned = yield* holdings.agents(org, user)
        const changed = transferTo === undefined ? owned.filter(({ status }) => status === "active") : owned
        yield* transferTo === undefined
          ? holdings.pauseAgents(org, user)
          : holdings.transferAgents(org, user, transferTo)
        for (const { id, status } of changed) {
          yield* audit.record(org, actor, {
            action: transferTo === undefined ? "agent.updated" : "agent.transferred",
            subject: { type: "agent", id },
            agent_id: id,
            data: transferTo === undefined
              ? { fields: ["status"], status: { from: status, to: "paused" }, reason }
              : { owner_user_id: { from: user, to: transferTo }, reason }
          })
        }
        if (changed.length > 0) yield* db.afterCommit(Effect.sync(() => signals.config(org)))
        return changed.length
      })

      // A pending device can do nothing, and one that the hub paused takes no commands: neither is changed.
      const drains = (device: OwnedDevice) =>
        device.state === "active" || (device.state_by === "device" && device.state !== "pending")

      const devices = Effect.fn("Departure.devices")(function*({ actor, org, transferTo, user }: Leaving) {
        const owned = yield* holdings.lockDevices(org, user)
        const changed = transferTo === undefined ? owned.filter(drains) : owned
        for (const { id, state } of changed) {
          yield* transferTo === undefined ? holdings.drainDevice(org, id) : holdings.transferDevice(org, id, transferTo)
          yield* audit.record(org, actor, {
            action: transferTo === undefined ? "device.updated" : "device.transferred",
            subject: { type: "device", id },
            data: transferTo === undefined
              ? { state: "draining", before: state, reason }
              : { owner_user_id: { from: user, to: transferTo }, reason }
          })
          yield* db.afterCommit(Effect.sync(() => signals.object(id)))
        }
        return changed.length
      })

      const standingApprovals = Effect.fn("Departure.standingApprovals")(function*({ actor, org, user }: Leaving) {
        const made = yield* holdings.standingApprovals(org, user)
        for (const id of made) {
          const agent = yield* standing.withdraw(org, id)
          if (Option.isNone(agent)) continue
          yield* audit.record(org, actor, {
            action: "standing_approval.withdrawn",
            subject: { type: "standing_approval", id },
            agent_id: agent.value,
            data: { reason }
          })
        }
        if (made.length > 0) yield* db.afterCommit(Effect.sync(() => signals.config(org)))
        return made.length
      })

      return Departure.of({ agents, devices, standingApprovals })
    })
  )
}
