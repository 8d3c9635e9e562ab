/**
 * Runs a list of steps in two workspaces, in the database and in the model side by side. Steps for a tick gather until
 * a step of another kind, or enough of them, sends them as one batch.
 */
import { type ApprovalId, newId, type ServiceRequestId } from "@countersign/domain/ids"
import type { Begin, Settle } from "@countersign/hub/dispatch/money-core/entries"
import { doctor } from "@countersign/hub/ledger/doctor"
import { entryDataText } from "@countersign/hub/platform/audit-entry-data"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { deepStrictEqual, ok } from "node:assert/strict"
import { kinds } from "../../../support/money-model.ts"
import { beginWith, makeOwner, settleWith, type TickerInTest } from "../../../support/ticker.ts"
import type { Step } from "./money-steps.ts"
import { auditCaps, makeOrg, operations, type OrgInModel } from "./money-world.ts"

/**
 * Runs steps in new workspaces and compares after each batch; a difference is a defect. Counts the outcomes in `seen`.
 */
export const runSteps = Effect.fnUntraced(function*(
  ticked: TickerInTest,
  steps: ReadonlyArray<Step>,
  options: {
    readonly doctorEvery?: number
    readonly seen?: Map<string, number>
    /** False: no step takes the short path. */
    readonly isShort?: boolean
  } = {}
) {
  const sql = yield* SqlClient.SqlClient
  // The doctor checks every workspace, so those of a failed run are removed.
  yield* sql`truncate orgs, org_heads, users, limits, requests, holds, settlements, movements, audit, usage_days, accruals,
    approvals, idempotency_keys restart identity cascade`
  const orgs = [yield* makeOrg, yield* makeOrg]
  let begins: Array<Begin> = []
  let settles: Array<Settle> = []
  let batches = 0
  ticked.isShort = options.isShort !== false

  const topUp = Effect.fnUntraced(function*(org: OrgInModel, cents: number) {
    const { model } = org
    yield* sql`select move_money(${org.id},
      ${newId("led")}, ${BigInt(org.external)}::int8, ${BigInt(model.wallet)}::int8, ${BigInt(cents)}::int8,
        'top_up', 'test', null)`
    org.funded += cents
    model.limits.get(model.wallet)!.cap! += cents
    model.limits.get(org.external)!.used += cents
    model.transfers++
  })
  for (const org of orgs) yield* topUp(org, 120)

  /** Compares the store with the model and with itself. */
  const compare = Effect.fnUntraced(function*(org: OrgInModel) {
    const { id, model } = org
    const [row] = yield* sql<{
      limits: string
      seq: number
      entries: number
      head_ok: boolean
      moved: number
      debits: number
      walleted: number
      holds: number
      held: number
      micro: number
      overdrawn: number
    }>`
      select (select json_agg(json_build_array(x.id, x.cap, x.period, x.used, x.held) order by x.id)::text from limits x
        where x.org_id = h.org_id) limits, h.seq,
        (select count(*) from audit a where a.org_id = h.org_id) entries,
        coalesce((select a.hash = h.head from audit a where a.org_id = h.org_id order by seq desc limit 1), true) head_ok,
        (select count(*) from movements m where m.org_id = h.org_id) moved,
        (select coalesce(sum(case when m.debit_id = ${BigInt(model.wallet)}::int8 then m.amount_cents end), 0)::int8
          from movements m where m.org_id = h.org_id) debits,
        (select x.cap - x.used from limits x where x.id = ${BigInt(model.wallet)}::int8) walleted,
        (select count(*) from holds o where o.org_id = h.org_id) holds,
        (select coalesce(sum(o.ceiling_cents) filter (where o.wallet is not null), 0)::int8 from holds o
          where o.org_id = h.org_id) held,
        (select coalesce(sum(a.micro_cents), 0)::int8 from accruals a where a.org_id = h.org_id) micro,
        (select count(*) from limits x where x.org_id = h.org_id and x.kind = 1 and x.used + x.held > x.cap) overdrawn
      from org_heads h where h.org_id = ${id}`
    deepStrictEqual(
      JSON.parse(row!.limits),
      [...model.limits.values()].sort((a, b) => a.id - b.id).map((x) => [x.id, x.cap, x.period, x.used, x.held])
    )
    const wallet = model.limits.get(model.wallet)!
    deepStrictEqual(
      {
        seq: row!.seq,
        entries: row!.entries,
        head: row!.head_ok,
        moved: row!.moved,
        holds: row!.holds,
        overdrawn: row!.overdrawn
      },
      {
        seq: model.entries,
        entries: model.entries,
        head: true,
        moved: model.transfers,
        holds: model.holds.size,
        overdrawn: 0
      }
    )
    // External, wallet, and revenue sum to zero; the wallet is the funds minus the charges; open amounts are charged or
    // accrued, including fractions.
    deepStrictEqual([row!.walleted, row!.debits, row!.held], [org.funded - wallet.used, wallet.used, wallet.held])
    deepStrictEqual(BigInt(row!.debits) * 1_000_000n + BigInt(row!.micro), model.owed)
  })

  const examine = Effect.gen(function*() {
    for (const { id, model } of orgs) {
      const rows = yield* sql<{
        id: ServiceRequestId
        status: string | null
        cost: number | null
      }>`select r.id, s.status, s.cost_cents as cost from requests r
        left join settlements s on s.org_id = r.org_id and s.request_id = r.id where r.org_id = ${id}`
      const open = (request: ServiceRequestId) =>
        model.holds.has(request) ||
        [...model.approvals.values()].some((approval) => approval.request === request && approval.status === "pending")
      for (const row of rows) {
        deepStrictEqual(
          row.status === null ? (open(row.id) ? "open" : "lost") : { status: row.status, cost: row.cost },
          model.settled.get(row.id) ?? "open"
        )
      }
      ok(
        rows.length ===
          model.settled.size +
            model.holds.size +
            [...model.approvals.values()].filter(({ status }) => status === "pending").length
      )
    }
    deepStrictEqual(
      (yield* doctor).filter(({ bad }) => bad > 0),
      []
    )
  })

  /** The first call's answer to a begin whose own id the second call recognized. */
  const first = (begin: Begin) =>
    Effect.gen(function*() {
      const [row] = yield* sql<{
        status: "blocked" | "failed" | null
        reason: string
        at: Date
        approval: ApprovalId
      }>`select s.status, s.reason_code reason, r.created_at at, a.id approval from requests r
        left join settlements s on s.org_id = r.org_id and s.request_id = r.id left join approvals a on a.request_id = r.id
          where r.org_id = ${begin.org} and r.id = ${begin.id}`
      const at = row!.at.getTime()
      return row!.status === null
        ? ({ kind: "waits", at, approvalId: row!.approval } as const)
        : row!.status === "failed"
        ? ({ kind: "failed", at } as const)
        : ({ kind: "blocked", at, reason: row!.reason, block: null } as const)
    })

  const send = Effect.gen(function*() {
    if (begins.length + settles.length === 0) return
    const [begun, settled] = [begins, settles]
    begins = []
    settles = []
    const owner = ticked.owner
    const answers = yield* Effect.promise(() =>
      Promise.race([
        ticked.refusal,
        Promise.all([
          Promise.all(begun.map((begin) => ticked.ticker.begin(begin))),
          Promise.all(settled.map((settle) => ticked.ticker.settle(settle)))
        ])
      ])
    )
    batches++
    const begunAnswers = yield* Effect.forEach(
      answers[0],
      (answer, at) =>
        answer.kind === "known" && answer.id === begun[at]!.id ? first(begun[at]!) : Effect.succeed(answer)
    )
    for (const answer of [...begunAnswers, ...answers[1]]) {
      const name = answer.kind === "blocked" ? `${answer.kind} ${answer.reason}` : answer.kind
      options.seen?.set(name, (options.seen.get(name) ?? 0) + 1)
    }
    for (const org of orgs) {
      if (![...begun, ...settled].some((entry) => entry.org === org.id)) continue
      org.model.batch(
        begunAnswers.map((answer, at) => [begun[at]!, answer] as const).filter(([begin]) => begin.org === org.id),
        settled.map((settle, at) => [settle, answers[1][at]!] as const).filter(([settle]) => settle.org === org.id),
        owner
      )
      yield* compare(org)
    }
    if (options.doctorEvery !== undefined && batches % options.doctorEvery === 0) yield* examine
  })

  for (const step of steps) {
    const org = "org" in step ? orgs[step.org]! : orgs[0]!
    const { model } = org
    const alone = "alone" in step ? step.alone : undefined
    if (alone !== undefined) yield* send
    switch (step.kind) {
      case "begin": {
        const agent = org.agents[step.agent]!
        const mode = step.test ? "test" : "live"
        const rows = agent.rows[mode]
        const operation = rows.operations[step.operation]!
        const standings = org.standing.filter((given) => given.agent === agent.id && given.mode === mode)
        const standing = step.standing === null || step.verdict !== "admit" || standings.length === 0
          ? undefined
          : standings[step.standing % standings.length]
        const counted = step.verdict === "admit" || step.verdict === "wait"
        const limits = counted
          ? [operation.day, operation.month, rows.month, model.wallet, ...(standing?.limits ?? [])]
          : []
        begins.push(
          beginWith({
            org: org.id,
            agent: agent.id,
            mode,
            operation: operations[step.operation]!,
            agentVersion: model.versions.get(agent.id)! - (step.stale ? 1 : 0),
            limits: step.twice ? [...limits, ...limits] : limits,
            wallet: step.test ? null : model.wallet,
            check: step.test && counted ? model.wallet : null,
            ceilingCents: step.ceiling,
            verdict: step.verdict,
            reason: step.verdict === "blocked" ? "policy_violation" : null,
            result: step.verdict === "failed" ? "{\"code\":\"agent_disabled\"}" : null,
            ...(step.key === null
              ? {}
              : {
                scope: `dispatch ${agent.id} ${mode}`,
                key: `k${step.key}`,
                hash: step.hash.toString().padStart(64, "0")
              }),
            wait: step.verdict === "wait" || standing !== undefined
              ? {
                id: newId("apr"),
                threshold_cents: 0,
                reason: "approval_threshold",
                required: 1,
                life_seconds: 7_200,
                digest: "0"
              }
              : null
          })
        )
        break
      }
      case "settle":
      case "park": {
        const open = [...model.holds.keys()]
        const id = open[step.pick % open.length]
        if (id === undefined) break
        settles.push(
          settleWith(
            step.kind === "park"
              ? {
                id,
                org: org.id,
                status: "running",
                cents: 0,
                reason: "async",
                ref: `ref-${id}`,
                dueMillis: 1000,
                deadlineMillis: 5000
              }
              : {
                id,
                org: org.id,
                status: step.status,
                cents: step.status === "executed" ? step.cents : 0,
                micro: step.status === "executed" ? step.micro : 0
              }
          )
        )
        break
      }
      case "late": {
        const over = [...model.settled.keys()]
        const id = over[step.pick % over.length]
        if (id !== undefined) settles.push(settleWith({ id, org: org.id, cents: 7 }))
        break
      }
      case "grant": {
        const known = [...model.approvals.values()]
        const approval = known[step.pick % known.length]
        if (approval === undefined) break
        const { begin } = approval
        const counted = step.verdict === "admit"
        const [user] = yield* sql<{ id: string }>`select owner_user_id as id from agents where id = ${begin.agent}`
        begins.push({
          ...begin,
          agentVersion: model.versions.get(begin.agent)!,
          key: null,
          scope: null,
          verdict: step.verdict,
          reason: step.verdict === "blocked" ? "approval_stale" : null,
          limits: counted ? [...new Set(begin.limits)].slice(0, 4) : [],
          check: counted ? begin.check : null,
          wait: null,
          audit: newId("aud"),
          ceilingCents: step.cheaper ? Math.floor(begin.ceilingCents / 2) : begin.ceilingCents,
          granted: {
            id: approval.id,
            by: user!.id,
            actor: `user ${user!.id} Ada`,
            audit: newId("aud"),
            data: entryDataText()
          }
        })
        break
      }
      case "fault":
        if (ticked.faults.length === 0 && begins.length + settles.length > 0) ticked.faults.push(step.fault)
        break
      case "send":
        yield* send
        break
      default: {
        yield* send
        yield* beside(step, org)
        yield* compare(org)
      }
    }
    if (alone !== undefined || begins.length + settles.length >= 40) {
      ticked.isShort = alone !== "batch" && options.isShort !== false
      yield* send
    }
  }
  yield* send
  for (const org of orgs) yield* compare(org)
  yield* examine

  /** Steps outside of ticks. */
  function beside(
    step: Extract<Step, { kind: "close" | "top_up" | "cap" | "standing" | "configure" | "clock" | "crash" }>,
    org: OrgInModel
  ) {
    const { id, model } = org
    return Effect.gen(function*() {
      switch (step.kind) {
        case "top_up":
          return yield* topUp(org, step.cents)
        case "close": {
          const known = [...model.approvals.values()]
          const approval = known[step.pick % known.length]
          if (approval === undefined) return
          const [user] = yield* sql<
            { id: string }
          >`select owner_user_id as id from agents where id = ${approval.begin.agent}`
          const [row] = yield* sql<{
            done: boolean
          }>`select close_approval(${id}, ${approval.id}, ${step.status}, ${`approval_${step.status}`}, ${
            user!.id
          }, null, null,
            ${newId("aud")}, ${newId("aud")}, 'user', ${user!.id}, 'Ada', null) done`
          return deepStrictEqual(row!.done, model.close(approval.id, step.status))
        }
        case "cap": {
          const limit = model.limits.get(org.capped[step.pick % org.capped.length]!)!
          yield* sql`update limits set cap = ${step.cap === null ? null : BigInt(step.cap)}::int8
            where id = ${BigInt(limit.id)}::int8`
          const [row] = yield* sql<{ agent: string }>`select agent_id as agent from limits where id = ${
            BigInt(limit.id)
          }::int8`
          yield* auditCaps(id, row!.agent, limit.kind === kinds.agentMonth ? "agent.budget_set" : "binding.put")
          limit.cap = step.cap
          limit.lowered = step.cap !== null && limit.used + limit.held > step.cap
          model.entries++
          return
        }
        case "standing": {
          const agent = org.agents[step.agent]!
          const mode = step.test ? "test" : "live"
          const until = model.at + step.minutes * 60_000
          const name = newId("sta")
          const row = Effect.fnUntraced(function*(kind: number, cap: number | null) {
            const [made] = yield* sql<{
              id: number
            }>`insert into limits (org_id, kind, mode, agent_id, operation, cap, valid_until)
              values (${id}, ${kind}::int2, ${mode}, ${agent.id}, ${name},
              ${cap === null ? null : BigInt(cap)}::int8, ${new Date(until)}) returning id`
            model.limits.set(made!.id, {
              id: made!.id,
              kind,
              validUntil: until,
              cap,
              period: 0,
              used: 0,
              held: 0,
              lowered: false
            })
            return made!.id
          })
          org.standing.push({
            agent: agent.id,
            mode,
            limits: [yield* row(kinds.standingTotal, step.total), yield* row(kinds.standingUses, step.uses)]
          })
          return
        }
        case "configure": {
          const agent = org.agents[step.agent]!
          yield* sql`update agents set version = version + 1 where id = ${agent.id}`
          model.versions.set(agent.id, model.versions.get(agent.id)! + 1)
          return
        }
        case "clock":
          model.at += step.millis
          yield* sql`update org_heads set last_at = ${new Date(model.at)} where org_id = ${id}`
          return
        case "crash": {
          const dead = ticked.owner
          ticked.owner = yield* makeOwner
          yield* sql`update owners set ended = true where num = ${dead}`
          yield* sql`update holds set owner = ${ticked.owner} where owner = ${dead} and phase = 1
            and org_id = any(${orgs.map((x) => x.id)}::text[])`
        }
      }
    })
  }
})
