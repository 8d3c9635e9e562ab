/**
 * A model of the money core as plain sequential code: one workspace, one request after another. The result of a real
 * batch must equal its settles, then its begins, in order of arrival.
 */
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, ApprovalId, ServiceRequestId } from "@countersign/domain/ids"
import type { Begin, BeginAnswer, Settle, SettleAnswer } from "@countersign/hub/dispatch/money-core/entries"
import { deepStrictEqual, ok } from "node:assert/strict"

export const kinds = {
  wallet: 1,
  agentMonth: 2,
  operationMonth: 3,
  operationDay: 4,
  standingTotal: 6,
  standingUses: 7,
  revenue: 8,
  external: 9
} as const

export interface ModelLimit {
  readonly id: number
  readonly kind: number
  readonly validUntil: number | undefined
  cap: number | null
  period: number
  used: number
  held: number
  /** A person set the cap below the used amount; from then on the used amount may exceed it. */
  lowered: boolean
}

export interface ModelHold {
  readonly id: ServiceRequestId
  readonly agent: AgentId
  readonly mode: Mode
  readonly ceiling: number
  readonly limits: ReadonlyArray<number>
  readonly wallet: number | null
  readonly month: number
  readonly day: number
  phase: 1 | 2
  owner: number
}

export interface ModelApproval {
  readonly id: ApprovalId
  readonly request: ServiceRequestId
  readonly begin: Begin
  readonly expires: number
  status: "pending" | "approved" | "rejected" | "expired" | "cancelled"
}

const reasons: Readonly<Record<number, string>> = {
  1: "insufficient_balance",
  2: "agent_budget_exceeded",
  3: "monthly_budget_exceeded",
  4: "daily_limit_exceeded"
}
const counts = (kind: number) => kind === kinds.operationDay || kind === kinds.standingUses
const day = 86_400_000
const keyLife = 30 * day

type Look = ReadonlyMap<number, Pick<ModelLimit, "period" | "used" | "held">>

export class MoneyModel {
  /** The workspace's time. */
  at: number
  readonly limits = new Map<number, ModelLimit>()
  readonly holds = new Map<ServiceRequestId, ModelHold>()
  readonly settled = new Map<ServiceRequestId, { readonly status: string; readonly cost: number }>()
  readonly approvals = new Map<ApprovalId, ModelApproval>()
  readonly keys = new Map<string, { readonly id: string; readonly hash: string; readonly expires: number }>()
  /** Millionths of a cent not yet debited, by agent. */
  readonly accrued = new Map<string, number>()
  readonly versions = new Map<string, number>()
  entries = 0
  transfers = 0
  /** The exact cost of all executed live requests, in millionths of a cent. */
  owed = 0n
  readonly wallet: number
  readonly revenue: number
  constructor(at: number, wallet: number, revenue: number) {
    this.at = at
    this.wallet = wallet
    this.revenue = revenue
  }

  private get month(): number {
    const date = new Date(this.at)
    return date.getUTCFullYear() * 12 + date.getUTCMonth() + 1
  }
  private get day(): number {
    return Math.floor(this.at / day)
  }
  private periodOf(kind: number, month = this.month, today = this.day): number {
    return kind === kinds.agentMonth || kind === kinds.operationMonth ? month : kind === kinds.operationDay ? today : 0
  }

  /** The first limit that the request exceeds, in the order of reporting. */
  private tight(ids: ReadonlyArray<number>, ceiling: number, look: Look = this.limits): ModelLimit | undefined {
    for (const id of ids) {
      const limit = this.limits.get(id)
      const now = look.get(id)
      if (limit === undefined || now === undefined) throw new Error(`no limit ${id}`)
      if (limit.validUntil !== undefined && limit.validUntil <= this.at) return limit
      if (limit.cap === null || (ceiling === 0 && !counts(limit.kind))) continue
      const taken = now.period === this.periodOf(limit.kind) ? now.used + now.held : 0
      if (taken + (counts(limit.kind) ? 1 : ceiling) > limit.cap) return limit
    }
    return undefined
  }

  private take(ids: ReadonlyArray<number>, ceiling: number): void {
    for (const id of ids) {
      const limit = this.limits.get(id)!
      const period = this.periodOf(limit.kind)
      ok(limit.period <= period, `the period of limit ${id} went back`)
      if (limit.period !== period) Object.assign(limit, { period, used: 0, held: 0 })
      limit.held += counts(limit.kind) ? 1 : ceiling
      if (limit.cap !== null && !limit.lowered) ok(limit.used + limit.held <= limit.cap, `limit ${id} passed its cap`)
    }
  }

  private refuse(begin: Begin, status: "blocked" | "failed"): void {
    this.settled.set(begin.id, { status, cost: 0 })
    this.entries++
    this.keep(begin)
  }
  private keep(begin: Begin): void {
    if (begin.key !== null && begin.granted === null) {
      this.keys.set(`${begin.scope} ${begin.key}`, { id: begin.id, hash: begin.hash, expires: this.at + keyLife })
    }
  }
  private admit(begin: Begin, owner: number): void {
    const limits = [...new Set(begin.limits)].filter((id) => id !== begin.check)
    this.take(limits, begin.ceilingCents)
    this.holds.set(begin.id, {
      id: begin.id,
      agent: begin.agent,
      mode: begin.mode,
      ceiling: begin.ceilingCents,
      limits,
      wallet: begin.wallet,
      month: this.month,
      day: this.day,
      phase: 1,
      owner
    })
    this.keep(begin)
  }
  private file(begin: Begin): void {
    ok(begin.wait !== null)
    this.approvals.set(begin.wait.id, {
      id: begin.wait.id,
      request: begin.id,
      begin,
      expires: this.at + begin.wait.life_seconds * 1000,
      status: "pending"
    })
    this.entries++
    this.keep(begin)
  }

  /** The result of a request that this limit stops; `waits` for an exhausted standing approval. */
  private stopped(begin: Begin, limit: ModelLimit): BeginAnswer["kind"] | `blocked ${string}` {
    return limit.kind === kinds.standingTotal || limit.kind === kinds.standingUses
      ? "waits"
      : `blocked ${reasons[limit.kind]}`
  }

  /** Checks the answers of a batch and applies them. */
  batch(
    begins: ReadonlyArray<readonly [Begin, BeginAnswer]>,
    settles: ReadonlyArray<readonly [Settle, SettleAnswer]>,
    owner: number
  ): void {
    this.settles(settles)
    const answered = begins.map(
      ([begin, answer]) =>
        [begin, answer, answer.kind === "blocked" ? `blocked ${answer.reason}` : answer.kind] as const
    )
    const expect = (begin: Begin, actual: string, expected: ReadonlyArray<string>) => {
      ok(expected.includes(actual), `${begin.id}: expected ${expected.join(" or ")}, got ${actual}`)
      return actual
    }
    const later: Array<readonly [Begin, string, Look]> = []
    const staleKeys = new Set<string>()
    const leaders = new Map<string, Begin>()
    for (const [begin, answer, actual] of answered) {
      const name = begin.key === null || begin.granted !== null ? undefined : `${begin.scope} ${begin.key}`
      if (name !== undefined) {
        const known = this.keys.get(name)
        if (known !== undefined && known.expires > this.at) {
          deepStrictEqual(answer, { kind: known.hash === begin.hash ? "known" : "conflict", id: known.id })
          continue
        }
        const leader = leaders.get(name)
        if (leader !== undefined) {
          // Another entry of this batch came first.
          if (staleKeys.has(name)) ok(actual === "stale", `${begin.id} depends on a stale one, got ${actual}`)
          else deepStrictEqual(answer, { kind: leader.hash === begin.hash ? "known" : "conflict", id: leader.id })
          continue
        }
        leaders.set(name, begin)
        this.keys.delete(name)
      }
      if (begin.agentVersion !== this.versions.get(begin.agent)) {
        expect(begin, actual, ["stale"])
        if (name !== undefined) staleKeys.add(name)
        continue
      }
      if (begin.granted !== null) {
        const approval = this.approvals.get(begin.granted.id)!
        if (approval.status !== "pending" || approval.expires <= this.at) {
          expect(begin, actual, ["not_pending"])
          continue
        }
        approval.status = "approved"
        this.entries++
      }
      if (begin.verdict === "blocked" || begin.verdict === "failed") {
        expect(begin, actual, [begin.verdict === "failed" ? "failed" : `blocked ${begin.reason}`])
        this.refuse(begin, begin.verdict)
      } else if (begin.verdict === "wait" || begin.check !== null) {
        later.push([
          begin,
          actual,
          new Map([...this.limits].map(([id, { held, period, used }]) => [id, { held, period, used }]))
        ])
      } else {
        const limit = this.tight(begin.limits, begin.ceilingCents)
        const kind = expect(begin, actual, [limit === undefined ? "admitted" : this.stopped(begin, limit)])
        if (kind === "admitted") this.admit(begin, owner)
        else if (kind === "waits") this.file(begin)
        else this.refuse(begin, "blocked")
      }
    }
    // Requests that only read money of live requests may see it before or after those of the same moment.
    for (const [begin, actual, before] of later) {
      const own = new Map(
        [...before].map(([id, then]) => [id, id === begin.check || begin.check === null ? then : this.limits.get(id)!])
      )
      const kindOf = (limit: ModelLimit | undefined) =>
        limit === undefined ? (begin.verdict === "wait" ? "waits" : "admitted") : this.stopped(begin, limit)
      const [first, last] = [
        kindOf(this.tight(begin.limits, begin.ceilingCents, own)),
        kindOf(this.tight(begin.limits, begin.ceilingCents))
      ]
      // In between, another limit may have been the first reported.
      const between = first === last ? [] : Object.values(reasons).map((reason) => `blocked ${reason}`)
      const kind = expect(begin, actual, [first, last, ...between])
      if (kind === "admitted") this.admit(begin, owner)
      else if (kind === "waits") this.file(begin)
      else this.refuse(begin, "blocked")
    }
  }

  private settles(settles: ReadonlyArray<readonly [Settle, SettleAnswer]>): void {
    const expected = new Map<Settle, SettleAnswer["kind"]>()
    for (const [settle] of settles.filter(([settle]) => settle.status === "running")) {
      const hold = this.holds.get(settle.id)
      expected.set(settle, hold?.phase === 1 ? "done" : "settled")
      if (hold?.phase !== 1) continue
      hold.phase = 2
      this.entries++
    }
    for (const [settle, answer] of settles.filter(([settle]) => settle.status !== "running")) {
      const hold = this.holds.get(settle.id)
      expected.set(settle, hold === undefined ? "settled" : "done")
      if (hold === undefined) continue
      this.holds.delete(settle.id)
      const cost = this.release(hold, settle)
      if (answer.kind === "done") {
        ok(answer.costCents === cost, `${settle.id} cost ${answer.costCents}, expected ${cost}`)
      }
    }
    for (const [settle, { kind }] of settles) {
      ok(
        kind === expected.get(settle),
        `${settle.id} ${settle.status}: expected ${expected.get(settle)}, got ${kind}`
      )
    }
  }

  private release(hold: ModelHold, settle: Settle): number {
    const done = settle.status === "executed"
    let taken = done ? Math.min(settle.cents, hold.ceiling) : 0
    if (done && hold.mode === "live") {
      const micro = settle.cents < hold.ceiling ? settle.micro : 0
      const sum = (this.accrued.get(hold.agent) ?? 0) + micro
      this.owed += BigInt(taken) * 1_000_000n + BigInt(micro)
      taken += Math.floor(sum / 1_000_000)
      if (micro > 0) this.accrued.set(hold.agent, sum % 1_000_000)
    }
    const cost = hold.mode === "live" ? taken : 0
    for (const id of hold.limits) {
      const limit = this.limits.get(id)!
      if (limit.period !== this.periodOf(limit.kind, hold.month, hold.day)) continue
      limit.held -= counts(limit.kind) ? 1 : hold.ceiling
      if (done) limit.used += counts(limit.kind) ? 1 : taken
    }
    if (cost > 0) {
      this.limits.get(this.revenue)!.used += cost
      this.transfers++
    }
    this.settled.set(hold.id, { status: settle.status, cost })
    this.entries++
    return cost
  }

  /** Closes an approval; true if it was pending. */
  close(id: ApprovalId, status: "rejected" | "expired" | "cancelled"): boolean {
    const approval = this.approvals.get(id)!
    const due = approval.expires <= this.at
    if (approval.status !== "pending" || (status === "expired" ? !due : status === "rejected" && due)) return false
    approval.status = status
    this.settled.set(approval.request, { status: "blocked", cost: 0 })
    this.entries += 2
    return true
  }
}
