/**
 * Random lives of two workspaces: steps as plain data, so that a list of them can be run again and made shorter. Steps that a tick carries
 * gather until another kind of step, or enough of them, sends them off as one batch.
 */
import { newId } from "@countersign/domain/ids"
import { doctor } from "@countersign/hub/ledger/doctor"
import { type Begin, type Settle } from "@countersign/hub/dispatch/ticker"
import { deepStrictEqual, ok } from "node:assert/strict"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { kinds, MoneyModel } from "../../support/money-model.ts"
import { beginWith, makeOwner, settleWith, type TickerInTest } from "../../support/ticker.ts"

/** Numbers in `pick` choose among what there is then, modulo its size. */
export type Step =
  | { readonly kind: "begin"; readonly org: number; readonly agent: number; readonly operation: number; readonly test: boolean; readonly ceiling: number; readonly verdict: Begin["verdict"]; readonly key: number | null; readonly hash: number; readonly stale: boolean; readonly standing: number | null; readonly twice: boolean }
  | { readonly kind: "settle"; readonly org: number; readonly pick: number; readonly status: "executed" | "failed" | "blocked"; readonly cents: number; readonly micro: number }
  | { readonly kind: "park"; readonly org: number; readonly pick: number }
  /** A second answer for what is settled. */
  | { readonly kind: "late"; readonly org: number; readonly pick: number }
  | { readonly kind: "grant"; readonly org: number; readonly pick: number; readonly cheaper: boolean; readonly verdict: "admit" | "blocked" | "failed" }
  | { readonly kind: "close"; readonly org: number; readonly pick: number; readonly status: "rejected" | "expired" | "cancelled" }
  | { readonly kind: "top_up"; readonly org: number; readonly cents: number }
  | { readonly kind: "cap"; readonly org: number; readonly pick: number; readonly cap: number | null }
  | { readonly kind: "standing"; readonly org: number; readonly agent: number; readonly test: boolean; readonly total: number | null; readonly uses: number | null; readonly minutes: number }
  | { readonly kind: "configure"; readonly org: number; readonly agent: number }
  | { readonly kind: "clock"; readonly org: number; readonly millis: number }
  /** The hub dies: another claims what it held. */
  | { readonly kind: "crash" }
  | { readonly kind: "fault"; readonly fault: "lost_reply" | "cut" }
  | { readonly kind: "send" }

export const random = (seed: number) => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  return { next, below, chance: (share: number) => next() < share, one: <A>(values: ReadonlyArray<A>): A => values[below(values.length)]! }
}

export const stepsOf = (seed: number, count: number): ReadonlyArray<Step> => {
  const { below, chance, one } = random(seed)
  const org = () => below(2)
  const weighted: ReadonlyArray<readonly [number, () => Step]> = [
    [40, () => ({
      kind: "begin", org: org(), agent: below(2), operation: below(2), test: chance(0.2), ceiling: chance(0.1) ? 0 : below(30),
      verdict: one(["admit", "admit", "admit", "admit", "admit", "admit", "wait", "blocked", "failed"]), key: chance(0.3) ? below(12) : null, hash: below(6) === 0 ? 1 : 0,
      stale: chance(0.03), standing: chance(0.2) ? below(8) : null, twice: chance(0.05)
    })],
    [30, () => ({ kind: "settle", org: org(), pick: below(1000), status: one(["executed", "executed", "executed", "failed", "blocked"]), cents: chance(0.4) ? 0 : below(34), micro: chance(0.6) ? (chance(0.5) ? 900_000 : 0) + below(100_000) : 0 })],
    [4, () => ({ kind: "park", org: org(), pick: below(1000) })],
    [3, () => ({ kind: "late", org: org(), pick: below(1000) })],
    [8, () => ({ kind: "grant", org: org(), pick: below(1000), cheaper: chance(0.3), verdict: one(["admit", "admit", "admit", "admit", "blocked", "failed"]) })],
    [3, () => ({ kind: "close", org: org(), pick: below(1000), status: one(["rejected", "expired", "cancelled"]) })],
    [1.5, () => ({ kind: "top_up", org: org(), cents: 1 + below(90) })],
    [1.5, () => ({ kind: "cap", org: org(), pick: below(1000), cap: chance(0.2) ? null : below(150) })],
    [0.6, () => ({ kind: "standing", org: org(), agent: below(2), test: chance(0.2), total: chance(0.5) ? below(80) : null, uses: chance(0.7) ? 1 + below(4) : null, minutes: 1 + below(90) })],
    [0.6, () => ({ kind: "configure", org: org(), agent: below(2) })],
    [1.5, () => ({ kind: "clock", org: org(), millis: one([1, 60_000, 3_600_000, 86_400_000, 5 * 86_400_000, 31 * 86_400_000]) })],
    [0.5, () => ({ kind: "crash" })],
    [0.8, () => ({ kind: "fault", fault: one(["lost_reply", "cut"]) })],
    [8, () => ({ kind: "send" })]
  ]
  const total = weighted.reduce((sum, [weight]) => sum + weight, 0)
  return Array.from({ length: count }, () => {
    let left = below(1_000_000) / 1_000_000 * total
    for (const [weight, make] of weighted) if ((left -= weight) < 0) return make()
    return { kind: "send" } as const
  })
}

interface AgentInModel {
  readonly id: string
  readonly rows: Readonly<Record<"live" | "test", { readonly month: number; readonly operations: ReadonlyArray<{ readonly day: number; readonly month: number }> }>>
}

interface OrgInModel {
  readonly id: string
  readonly model: MoneyModel
  readonly agents: ReadonlyArray<AgentInModel>
  readonly external: number
  /** Limits whose caps people change. */
  readonly capped: Array<number>
  readonly standing: Array<{ readonly agent: string; readonly mode: string; readonly limits: readonly [number, number] }>
  funded: number
}

const operations = ["say", "shout"]
/** Far enough ahead that the machine's clock never counts: time moves by steps alone. */
const firstMoment = Date.UTC(2031, 0, 31, 23, 59, 0)

/** A person set caps: the doctor knows by it that one may have been lowered. */
const told = (org: string, agent: string, action: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select append_audit(${org}, ${newId("aud")}, ${action}, 'user', 'usr', 'Ada', 'agent', ${agent}, ${agent}, null, null, null, null, '{"service":"echo"}')`)

const makeOrg = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const id = newId("org"), owner = newId("usr")
  yield* sql`insert into orgs (id, name) values (${id}, 'Model')`
  yield* sql`insert into org_heads (org_id, last_at) values (${id}, ${new Date(firstMoment)})`
  yield* sql`insert into users (id, email, name, password_hash) values (${owner}, ${`${owner}@countersign.test`}, 'Ada', '-')`
  const limit = (kind: number, cap: number | null, mode = "live", agent: string | null = null, operation: string | null = null) =>
    sql<{ id: number }>`insert into limits (org_id, kind, mode, agent_id, service, operation, cap) values (${id}, ${kind}::int2, ${mode}, ${agent}, ${operation === null ? null : "echo"}, ${operation},
      ${cap === null ? null : BigInt(cap)}::int8) returning id`.pipe(Effect.map(([row]) => row!.id))
  const wallet = yield* limit(kinds.wallet, 0)
  const revenue = yield* limit(kinds.revenue, null)
  const external = yield* limit(kinds.external, null)
  const model = new MoneyModel(firstMoment, wallet, revenue)
  const add = (id: number, kind: number, cap: number | null) => {
    model.limits.set(id, { id, kind, validUntil: undefined, cap, period: 0, used: 0, held: 0, lowered: false })
    return id
  }
  add(wallet, kinds.wallet, 0)
  add(revenue, kinds.revenue, null)
  add(external, kinds.external, null)
  const capped: Array<number> = []
  const made = Effect.fnUntraced(function*(kind: number, cap: number | null, mode: string, agent: string, operation: string | null = null) {
    const row = add(yield* limit(kind, cap, mode, agent, operation), kind, cap)
    capped.push(row)
    return row
  })
  const agents: Array<AgentInModel> = []
  for (let n = 0; n < 2; n++) {
    const agent = newId("agt")
    yield* sql`insert into agents (id, org_id, name, owner_user_id) values (${agent}, ${id}, 'Agent', ${owner})`
    model.versions.set(agent, 1)
    yield* told(id, agent, "binding.put")
    model.entries++
    const rowsOf = Effect.fnUntraced(function*(mode: string) {
      const month = yield* made(kinds.agentMonth, n === 0 ? 200 : null, mode, agent)
      const rows: Array<{ readonly day: number; readonly month: number }> = []
      for (const operation of operations) {
        rows.push({ day: yield* made(kinds.operationDay, operation === "say" ? 6 : null, mode, agent, operation), month: yield* made(kinds.operationMonth, 120, mode, agent, operation) })
      }
      return { month, operations: rows }
    })
    agents.push({ id: agent, rows: { live: yield* rowsOf("live"), test: yield* rowsOf("test") } })
  }
  return { id, model, agents, external, capped, standing: [], funded: 0 } as OrgInModel
})

/** Runs steps in workspaces of their own and compares after each batch; a difference is a defect. Counts in `heard` what was answered. */
export const runSteps = Effect.fnUntraced(function*(ticked: TickerInTest, steps: ReadonlyArray<Step>, options: { readonly doctorEvery?: number; readonly heard?: Map<string, number> } = {}) {
  const sql = yield* SqlClient.SqlClient
  // The doctor looks at every workspace: those of a run that failed are not this one's.
  yield* sql`truncate orgs, org_heads, users, limits, requests, holds, settlements, movements, audit, usage_days, accruals, approvals, idempotency_keys cascade`
  const orgs = [yield* makeOrg, yield* makeOrg]
  let begins: Array<Begin> = []
  let settles: Array<Settle> = []
  let batches = 0

  const topUp = Effect.fnUntraced(function*(org: OrgInModel, cents: number) {
    const { model } = org
    yield* sql`select move_money(${org.id}, ${newId("led")}, ${BigInt(org.external)}::int8, ${BigInt(model.wallet)}::int8, ${BigInt(cents)}::int8, 'top_up', 'test', null)`
    org.funded += cents
    model.limits.get(model.wallet)!.cap! += cents
    model.limits.get(org.external)!.used += cents
    model.movements++
  })
  for (const org of orgs) yield* topUp(org, 120)

  /** What the store says, against the model and against itself. */
  const compare = Effect.fnUntraced(function*(org: OrgInModel) {
    const { id, model } = org
    const [row] = yield* sql<{ limits: string; seq: number; entries: number; head_ok: boolean; moved: number; debits: number; walleted: number; holds: number; held: number; micro: number; overdrawn: number }>`
      select (select json_agg(json_build_array(x.id, x.cap, x.period, x.used, x.held) order by x.id)::text from limits x where x.org_id = h.org_id) limits, h.seq,
        (select count(*) from audit a where a.org_id = h.org_id) entries,
        coalesce((select a.hash = h.head from audit a where a.org_id = h.org_id order by seq desc limit 1), true) head_ok,
        (select count(*) from movements m where m.org_id = h.org_id) moved,
        (select coalesce(sum(case when m.debit_id = ${BigInt(model.wallet)}::int8 then m.amount_cents end), 0)::int8 from movements m where m.org_id = h.org_id) debits,
        (select x.cap - x.used from limits x where x.id = ${BigInt(model.wallet)}::int8) walleted,
        (select count(*) from holds o where o.org_id = h.org_id) holds,
        (select coalesce(sum(o.ceiling_cents) filter (where o.wallet is not null), 0)::int8 from holds o where o.org_id = h.org_id) held,
        (select coalesce(sum(a.micro_cents), 0)::int8 from accruals a where a.org_id = h.org_id) micro,
        (select count(*) from limits x where x.org_id = h.org_id and x.kind = 1 and x.used + x.held > x.cap) overdrawn
      from org_heads h where h.org_id = ${id}`
    deepStrictEqual(JSON.parse(row!.limits), [...model.limits.values()].sort((a, b) => a.id - b.id).map((x) => [x.id, x.cap, x.period, x.used, x.held]))
    const wallet = model.limits.get(model.wallet)!
    deepStrictEqual({ seq: row!.seq, entries: row!.entries, head: row!.head_ok, moved: row!.moved, holds: row!.holds, overdrawn: row!.overdrawn },
      { seq: model.entries, entries: model.entries, head: true, moved: model.movements, holds: model.holds.size, overdrawn: 0 })
    // External, wallet and revenue sum to zero; the wallet is what came in less what was charged; what is owed is charged or accrued, to the fraction.
    deepStrictEqual([row!.walleted, row!.debits, row!.held], [org.funded - wallet.used, wallet.used, wallet.held])
    deepStrictEqual(BigInt(row!.debits) * 1_000_000n + BigInt(row!.micro), model.owed)
  })

  const examine = Effect.gen(function*() {
    for (const { id, model } of orgs) {
      const rows = yield* sql<{ id: string; status: string | null; cost: number | null }>`select r.id, s.status, s.cost_cents as cost from requests r
        left join settlements s on s.org_id = r.org_id and s.request_id = r.id where r.org_id = ${id}`
      const open = (request: string) => model.holds.has(request) || [...model.approvals.values()].some((approval) => approval.request === request && approval.status === "pending")
      for (const row of rows) {
        deepStrictEqual(row.status === null ? open(row.id) ? "open" : "lost" : { status: row.status, cost: row.cost }, model.settled.get(row.id) ?? "open")
      }
      ok(rows.length === model.settled.size + model.holds.size + [...model.approvals.values()].filter(({ status }) => status === "pending").length)
    }
    deepStrictEqual((yield* doctor).filter(({ bad }) => bad > 0), [])
  })

  /** What the first call said of a begin whose own id was known to the second. */
  const first = (begin: Begin) =>
    Effect.gen(function*() {
      const [row] = yield* sql<{ status: "blocked" | "failed" | null; reason: string; at: Date; approval: string }>`select s.status, s.reason_code reason, r.created_at at, a.id approval from requests r
        left join settlements s on s.org_id = r.org_id and s.request_id = r.id left join approvals a on a.request_id = r.id where r.org_id = ${begin.org} and r.id = ${begin.id}`
      const at = row!.at.getTime()
      return row!.status === null ? { kind: "waits", at, approvalId: row!.approval } as const
        : row!.status === "failed" ? { kind: "failed", at } as const : { kind: "blocked", at, reason: row!.reason, block: null } as const
    })

  const send = Effect.gen(function*() {
    if (begins.length + settles.length === 0) return
    const [begun, settled] = [begins, settles]
    begins = []
    settles = []
    const owner = ticked.owner
    const answers = yield* Effect.promise(() =>
      Promise.race([ticked.refusal, Promise.all([Promise.all(begun.map((begin) => ticked.ticker.begin(begin))), Promise.all(settled.map((settle) => ticked.ticker.settle(settle)))])]))
    batches++
    const told = yield* Effect.forEach(answers[0], (answer, at) => answer.kind === "known" && answer.id === begun[at]!.id ? first(begun[at]!) : Effect.succeed(answer))
    for (const answer of [...told, ...answers[1]]) {
      const name = answer.kind === "blocked" ? `${answer.kind} ${answer.reason}` : answer.kind
      options.heard?.set(name, (options.heard.get(name) ?? 0) + 1)
    }
    for (const org of orgs) {
      org.model.batch(
        told.map((answer, at) => [begun[at]!, answer] as const).filter(([begin]) => begin.org === org.id),
        settled.map((settle, at) => [settle, answers[1][at]!] as const).filter(([settle]) => settle.org === org.id), owner
      )
      yield* compare(org)
    }
    if (options.doctorEvery !== undefined && batches % options.doctorEvery === 0) yield* examine
  })

  for (const step of steps) {
    const org = "org" in step ? orgs[step.org]! : orgs[0]!
    const { model } = org
    switch (step.kind) {
      case "begin": {
        const agent = org.agents[step.agent]!
        const mode = step.test ? "test" : "live"
        const rows = agent.rows[mode]
        const operation = rows.operations[step.operation]!
        const standings = org.standing.filter((given) => given.agent === agent.id && given.mode === mode)
        const standing = step.standing === null || step.verdict !== "admit" || standings.length === 0 ? undefined : standings[step.standing % standings.length]
        const counted = step.verdict === "admit" || step.verdict === "wait"
        const limits = counted ? [operation.day, operation.month, rows.month, model.wallet, ...standing?.limits ?? []] : []
        begins.push(beginWith({
          org: org.id, agent: agent.id, mode, operation: operations[step.operation]!, agentVersion: model.versions.get(agent.id)! - (step.stale ? 1 : 0),
          limits: step.twice ? [...limits, ...limits] : limits, wallet: step.test ? null : model.wallet, check: step.test && counted ? model.wallet : null, ceilingCents: step.ceiling, verdict: step.verdict,
          reason: step.verdict === "blocked" ? "policy_violation" : null, result: step.verdict === "failed" ? "{\"code\":\"agent_disabled\"}" : null,
          ...(step.key === null ? {} : { scope: `dispatch ${agent.id} ${mode}`, key: `k${step.key}`, hash: step.hash.toString().padStart(64, "0") }),
          wait: step.verdict === "wait" || standing !== undefined ? { id: newId("apr"), threshold_cents: 0, reason: "approval_threshold", required: 1, life_seconds: 7_200, digest: "0" } : null
        }))
        break
      }
      case "settle": case "park": {
        const open = [...model.holds.keys()]
        const id = open[step.pick % open.length]
        if (id === undefined) break
        settles.push(settleWith(step.kind === "park"
          ? { id, org: org.id, status: "running", cents: 0, reason: "async", ref: `ref-${id}`, dueMillis: 1000, deadlineMillis: 5000 }
          : { id, org: org.id, status: step.status, cents: step.status === "executed" ? step.cents : 0, micro: step.status === "executed" ? step.micro : 0 }))
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
          ...begin, agentVersion: model.versions.get(begin.agent)!, key: null, scope: null, verdict: step.verdict, reason: step.verdict === "blocked" ? "approval_stale" : null,
          limits: counted ? [...new Set(begin.limits)].slice(0, 4) : [], check: counted ? begin.check : null, wait: null, audit: newId("aud"), ceilingCents: step.cheaper ? Math.floor(begin.ceilingCents / 2) : begin.ceilingCents,
          granted: { id: approval.id, by: user!.id, actor: `user ${user!.id} Ada`, audit: newId("aud"), data: "{}" }
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
    if (begins.length + settles.length >= 40) yield* send
  }
  yield* send
  for (const org of orgs) yield* compare(org)
  yield* examine

  /** Steps that no tick carries. */
  function beside(step: Extract<Step, { kind: "close" | "top_up" | "cap" | "standing" | "configure" | "clock" | "crash" }>, org: OrgInModel) {
    const { id, model } = org
    return Effect.gen(function*() {
      switch (step.kind) {
        case "top_up": return yield* topUp(org, step.cents)
        case "close": {
          const known = [...model.approvals.values()]
          const approval = known[step.pick % known.length]
          if (approval === undefined) return
          const [user] = yield* sql<{ id: string }>`select owner_user_id as id from agents where id = ${approval.begin.agent}`
          const [row] = yield* sql<{ done: boolean }>`select close_approval(${id}, ${approval.id}, ${step.status}, ${`approval_${step.status}`}, ${user!.id}, null, null, ${newId("aud")}, ${newId("aud")}, 'user', ${user!.id}, 'Ada', null) done`
          return deepStrictEqual(row!.done, model.close(approval.id, step.status))
        }
        case "cap": {
          const limit = model.limits.get(org.capped[step.pick % org.capped.length]!)!
          yield* sql`update limits set cap = ${step.cap === null ? null : BigInt(step.cap)}::int8 where id = ${BigInt(limit.id)}::int8`
          const [row] = yield* sql<{ agent: string }>`select agent_id as agent from limits where id = ${BigInt(limit.id)}::int8`
          yield* told(id, row!.agent, limit.kind === kinds.agentMonth ? "agent.budget_set" : "binding.put")
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
            const [made] = yield* sql<{ id: number }>`insert into limits (org_id, kind, mode, agent_id, operation, cap, valid_until) values (${id}, ${kind}::int2, ${mode}, ${agent.id}, ${name},
              ${cap === null ? null : BigInt(cap)}::int8, ${new Date(until)}) returning id`
            model.limits.set(made!.id, { id: made!.id, kind, validUntil: until, cap, period: 0, used: 0, held: 0, lowered: false })
            return made!.id
          })
          org.standing.push({ agent: agent.id, mode, limits: [yield* row(kinds.standingTotal, step.total), yield* row(kinds.standingUses, step.uses)] })
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
          yield* sql`update holds set owner = ${ticked.owner} where owner = ${dead} and phase = 1 and org_id = any(${orgs.map((x) => x.id)}::text[])`
        }
      }
    })
  }
})

/** The shortest list of steps found that still fails. */
export const shrunk = Effect.fnUntraced(function*<R>(steps: ReadonlyArray<Step>, fails: (steps: ReadonlyArray<Step>) => Effect.Effect<boolean, never, R>, trials = 200) {
  let best = steps
  for (let size = Math.ceil(best.length / 2); size >= 1 && trials > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && trials > 0;) {
      const shorter = [...best.slice(0, at), ...best.slice(at + size)]
      trials--
      if (yield* fails(shorter)) best = shorter
      else at += size
    }
    if (size === 1) break
  }
  return best
})
