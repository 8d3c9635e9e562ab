/**
 * The money of teams: transfers between the workspace's wallet, pools, and allocations. Spec: reference/teams.md "Pools
 * and allocations".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, type Conflict, conflict, type NotFound, notFound } from "@countersign/domain/errors"
import { newId, type OrgId } from "@countersign/domain/ids"
import type { Allocation, MoveBudgetInput, TeamBudget } from "@countersign/domain/teams"
import { Context, Effect, Layer, Option } from "effect"
import { maySeeTeam } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { needsInTeam } from "../edge/access.ts"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { TeamsRepository } from "./repository.ts"
import { type WalletRow, WalletsRepository } from "./wallets-repository.ts"

const shortOf = (noun: string, availableCents: number): Conflict =>
  conflict(
    "insufficient_balance",
    `The ${noun} has only ${availableCents} cents available. Move at most this amount, or add money to the ${noun} first.`,
    { available_cents: availableCents }
  )

const holdsOpen = (heldCents: number): Conflict =>
  conflict(
    "holds_open",
    `Requests hold ${heldCents} cents of this money. Retry when they have ended, or settle or cancel them.`,
    { held_cents: heldCents }
  )

export const toAllocation = ({ balance, held, spent }: Omit<WalletRow, "id" | "user_id">): Allocation => ({
  balance_cents: balance,
  held_cents: held,
  available_cents: balance - held,
  spent_this_month_cents: spent
})

export class TeamBudgets extends Context.Service<TeamBudgets, {
  readonly get: (user: UserPrincipal, team: string) => Effect.Effect<TeamBudget, ApiError>
  /** Between the workspace's wallet and the pool. Call it in a transaction. */
  readonly move: (
    user: UserPrincipal,
    team: string,
    input: MoveBudgetInput
  ) => Effect.Effect<TeamBudget, ApiError>
  /** Between the pool and an allocation. Call it in a transaction. */
  readonly allocate: (
    user: UserPrincipal,
    team: string,
    worker: string,
    input: MoveBudgetInput
  ) => Effect.Effect<Allocation, ApiError>
  readonly endAllocation: (user: UserPrincipal, team: string, worker: string) => Effect.Effect<void, ApiError>
  /**
   * Returns an allocation to the pool, if there is one; returns its cents. 409 `holds_open`. Call it in a transaction,
   * under the workspace's lock.
   */
  readonly returnAllocation: (
    org: OrgId,
    team: string,
    worker: string,
    actor: Actor,
    at: Date
  ) => Effect.Effect<number, Conflict>
  /**
   * Returns the pool and all allocations of a team to the workspace's wallet; returns their cents. 409 `holds_open`.
   * Call it in a transaction, under the workspace's lock.
   */
  readonly returnAll: (org: OrgId, team: string, at: Date) => Effect.Effect<number, Conflict>
}>()("@countersign/hub/teams/TeamBudgets") {
  static readonly layer = Layer.effect(
    TeamBudgets,
    Effect.gen(function*() {
      const teams = yield* TeamsRepository
      const wallets = yield* WalletsRepository
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      /** Dispatch reads the paying wallets of the team's agents again. */
      const changed = (org: OrgId) => db.afterCommit(Effect.sync(() => signals.config(org)))

      const existing = (org: OrgId, team: string): Effect.Effect<void, NotFound> =>
        Effect.flatMap(teams.exists(org, team), (exists) => exists ? Effect.void : Effect.fail(notFound("team")))

      const transfer = Effect.fnUntraced(function*(
        org: OrgId,
        source: { readonly noun: string; readonly wallet: WalletRow | undefined },
        to: number,
        cents: number,
        cause: { readonly causeType: "team_budget" | "worker_budget"; readonly causeId: string }
      ) {
        const { noun, wallet } = source
        const available = wallet === undefined ? 0 : wallet.balance - wallet.held
        if (wallet === undefined || available < cents) return yield* Effect.fail(shortOf(noun, available))
        const id = newId("led")
        if (!(yield* wallets.move(org, { id, from: wallet.id, to, cents, ...cause }))) {
          return yield* Effect.die(`wallet ${wallet.id} changed under the lock of ${org}`)
        }
        return id
      })

      const move = Effect.fn("TeamBudgets.move")(function*(
        caller: UserPrincipal,
        team: string,
        { amount_cents: cents, direction }: MoveBudgetInput
      ) {
        const user = yield* rights.hold(caller)
        const org = user.org_id
        yield* needsInTeam(user, "budgets:write", undefined)
        const at = yield* heads.lock(org)
        yield* existing(org, team)
        const cause = { causeType: "team_budget", causeId: team } as const
        const orgWallet = yield* wallets.ofOrg(org)
        const pool = yield* wallets.find(org, team, null)
        let transferId: string
        if (direction === "allocate") {
          const to = pool ?? (yield* wallets.open(org, team, null, at))
          transferId = yield* transfer(org, { noun: "workspace's wallet", wallet: orgWallet }, to.id, cents, cause)
          if (pool === undefined) yield* changed(org)
        } else transferId = yield* transfer(org, { noun: "pool", wallet: pool }, orgWallet.id, cents, cause)
        const budget = yield* wallets.budget(org, team)
        yield* audit.record(org, actorOf(user), {
          action: direction === "allocate" ? "team_budget.allocated" : "team_budget.returned",
          subject: { type: "team", id: team },
          data: { amount_cents: cents, balance_cents: budget.balance_cents, movement_id: transferId }
        })
        return budget
      }, db.transaction)

      const allocate = Effect.fn("TeamBudgets.allocate")(function*(
        caller: UserPrincipal,
        team: string,
        worker: string,
        { amount_cents: cents, direction }: MoveBudgetInput
      ) {
        const user = yield* rights.hold(caller)
        const org = user.org_id
        const at = yield* heads.lock(org)
        yield* existing(org, team)
        yield* needsInTeam(user, "budgets:write", team)
        if (Option.isNone(yield* teams.member(org, team, worker))) return yield* Effect.fail(notFound("member"))
        const cause = { causeType: "worker_budget", causeId: worker } as const
        const pool = yield* wallets.find(org, team, null)
        const allocation = yield* wallets.find(org, team, worker)
        let transferId: string
        if (direction === "allocate") {
          const to = allocation ?? (yield* wallets.open(org, team, worker, at))
          transferId = yield* transfer(org, { noun: "pool", wallet: pool }, to.id, cents, cause)
          if (allocation === undefined) yield* changed(org)
        } else {
          transferId = yield* transfer(org, { noun: "allocation", wallet: allocation }, pool?.id ?? 0, cents, cause)
        }
        const result = toAllocation((yield* wallets.find(org, team, worker))!)
        yield* audit.record(org, actorOf(user), {
          action: direction === "allocate" ? "worker_budget.allocated" : "worker_budget.returned",
          subject: { type: "user", id: worker },
          data: { team_id: team, amount_cents: cents, balance_cents: result.balance_cents, movement_id: transferId }
        })
        return result
      }, db.transaction)

      const returnAllocation = Effect.fn("TeamBudgets.returnAllocation")(
        function*(org: OrgId, team: string, worker: string, actor: Actor, at: Date) {
          const allocation = yield* wallets.find(org, team, worker)
          if (allocation === undefined) return 0
          const { balance, held, id } = allocation
          if (held > 0) return yield* Effect.fail(holdsOpen(held))
          const pool = yield* wallets.find(org, team, null)
          if (pool === undefined) return yield* Effect.die(`team ${team} has an allocation and no pool`)
          if (balance > 0) {
            yield* wallets.move(org, {
              id: newId("led"),
              from: id,
              to: pool.id,
              cents: balance,
              causeType: "worker_budget",
              causeId: worker
            })
          }
          yield* wallets.end(org, team, worker, at)
          yield* audit.record(org, actor, {
            action: "worker_budget.ended",
            subject: { type: "user", id: worker },
            data: { team_id: team, amount_cents: balance }
          })
          yield* changed(org)
          return balance
        }
      )

      const returnAll = Effect.fn("TeamBudgets.returnAll")(function*(org: OrgId, team: string, at: Date) {
        const all = yield* wallets.ofTeam(org, team)
        const held = all.reduce((sum, wallet) => sum + wallet.held, 0)
        if (held > 0) return yield* Effect.fail(holdsOpen(held))
        const orgWallet = yield* wallets.ofOrg(org)
        for (const { balance, id, user_id } of all) {
          if (balance > 0) {
            yield* wallets.move(org, {
              id: newId("led"),
              from: id,
              to: orgWallet.id,
              cents: balance,
              causeType: "team_budget",
              causeId: team
            })
          }
          yield* wallets.end(org, team, user_id, at)
        }
        if (all.length > 0) yield* changed(org)
        return all.reduce((sum, { balance }) => sum + balance, 0)
      })

      const endAllocation = Effect.fn("TeamBudgets.endAllocation")(
        function*(caller: UserPrincipal, team: string, worker: string) {
          const user = yield* rights.hold(caller)
          const org = user.org_id
          const at = yield* heads.lock(org)
          yield* existing(org, team)
          yield* needsInTeam(user, "budgets:write", team)
          if ((yield* wallets.find(org, team, worker)) === undefined) return yield* Effect.fail(notFound("allocation"))
          yield* returnAllocation(org, team, worker, actorOf(user), at)
        },
        db.transaction
      )

      return TeamBudgets.of({
        get: Effect.fn("TeamBudgets.get")(function*(user, team) {
          yield* existing(user.org_id, team)
          if (!maySeeTeam(user, team)) return yield* Effect.fail(notFound("team"))
          return yield* wallets.budget(user.org_id, team)
        }),
        move,
        allocate,
        endAllocation,
        returnAllocation,
        returnAll
      })
    })
  )
}
