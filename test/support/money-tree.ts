/**
 * The money tree of a workspace: its wallet, pools, allocations, agents with their children, and delegated tasks. Acts
 * that change it, the money that its callers know of, and a check of every node that shares no code with the doctor.
 */
import { FamilySweeper } from "@countersign/hub/families/sweeper"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { eventOf, type FakeSession, refundOf, sessionObject, type stripeCheckout } from "./checkout.ts"
import { expectHealthy, until } from "./health.ts"
import {
  type Answer,
  type Api,
  type Call,
  expectStatus,
  firstOwner,
  type HubInTest,
  makeAgent,
  makeService,
  topUp
} from "./hub.ts"
import { expectNodes, expectWallets, nodesOf, walletsOf } from "./money-tree-books.ts"
import { monthTurns } from "./month-turn.ts"
import { makeSignedIn } from "./people.ts"
import type { Chance } from "./random.ts"
import { httpUpstream } from "./upstream.ts"

interface Member {
  readonly id: string
  readonly key: string
}
interface Task {
  readonly id: string
  readonly from: Member
  readonly to: Member
}
interface Paid {
  readonly session: FakeSession
  refunded: number
}
const bindings = [
  { service: "echo", operations: ["*"] },
  { service: "work", operations: ["*"], per_operation: { dear: { approval_threshold_cents: 2 } } }
]

/** Quoted at 5 cents with a lower actual, running until a person settles it, and waiting for an approval. */
const work = (origin: string) => ({
  name: "work",
  kind: "http",
  base_url: origin,
  operations: [
    {
      name: "quoted",
      method: "POST",
      path: "/quoted",
      payload_schema: { type: "object" },
      price: { type: "quoted", ceiling: "5", actual: "/cents" }
    },
    {
      name: "slow",
      method: "POST",
      path: "/slow",
      payload_schema: { type: "object" },
      price: { type: "fixed", cents: 4 },
      async: { mode: "poll", path: "/slow/${ref}", ref: "/id", status: "/state", executed: ["done"], failed: ["bad"] }
    },
    {
      name: "dear",
      method: "POST",
      path: "/dear",
      payload_schema: { type: "object" },
      price: { type: "fixed", cents: 3 }
    }
  ]
})

const startWork = httpUpstream(({ body, method, url }, response) => {
  const answer = method === "GET" || url === "/slow"
    ? { id: "job", state: "working" }
    : { cents: (JSON.parse(body) as { readonly cents?: number }).cents ?? 0 }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
})

/** Refusals that an act may get because another one came first, such as the end of the agent that calls. */
const refusals = [401, 403, 404, 409, 410]

export interface MoneyTreeOptions {
  readonly first: HubInTest
  /** Acts go to this hub or the first; one that gets no answer is sent again to the first. */
  readonly second: () => Api
  readonly stripe: Effect.Success<typeof stripeCheckout>
  readonly chance: Chance
}

export const makeMoneyTree = Effect.fnUntraced(function*({ chance, first, second, stripe }: MoneyTreeOptions) {
  const owner = yield* firstOwner(first)
  const as = { cookie: owner.cookie }
  const upstream = yield* startWork
  yield* makeService(first, owner, work(upstream.origin))
  let funded = 400
  yield* topUp(first, owner, funded)
  const lead = yield* makeSignedIn(first, owner.org, "member", "Lea")
  const workers = yield* Effect.forEach(["Ann", "Bob"], (name) => makeSignedIn(first, owner.org, "member", name))
  const team: string = expectStatus(yield* first.api("POST", "/teams", { ...as, body: { name: "Team" } }), 201).body.id
  for (const { id } of [lead, ...workers]) {
    const body = { user_id: id, role: id === lead.id ? "lead" : "worker" }
    expectStatus(yield* first.api("POST", `/teams/${team}/members`, { ...as, body }), 201)
  }
  const members: Array<Member> = []
  for (const [cap, person] of [[120, workers[0]], [undefined, workers[1]], [80, undefined]] as const) {
    const made = yield* makeAgent(first, owner, {
      bindings,
      ...cap === undefined ? {} : { monthly_budget_cents: cap }
    })
    members.push(made)
    if (person === undefined) continue
    const body = { owner_user_id: person.id, team_id: team }
    expectStatus(yield* first.api("POST", `/agents/${made.id}/transfer`, { ...as, body }), 200)
  }

  const children = new Map<string, Array<Member>>()
  const tasks: Array<Task> = []
  /** The status and the cost of every request, as its last answer had them. */
  const requests = new Map<string, { status: string; cost: number }>()
  const approvals: Array<string> = []
  const asked: Array<string> = []
  const paid: Array<Paid> = []
  const seen = new Map<string, number>()
  /** Agents whose cap was changed since the last check. */
  let recapped = new Set<string>()
  let taken = new Map<string, number>()
  let made = 0

  /** The hub is chosen when the act is; a keyed act that gets no answer is repeated with the same key. */
  const send = (method: string, path: string, call: Call, key?: string): Effect.Effect<Answer> => {
    const via = chance.int(2) === 0 ? first.api : second()
    const whole = key === undefined ? call : { ...call, headers: { ...call.headers, "idempotency-key": key } }
    return via(method, path, whole).pipe(
      Effect.catchCause(() => {
        seen.set("unanswered", (seen.get("unanswered") ?? 0) + 1)
        return first.api(method, path, whole)
      })
    )
  }
  const noted = (name: string, act: Effect.Effect<Answer>, then: (answer: Answer) => void = () => {}) =>
    Effect.map(act, (answer) => {
      if (answer.status < 300) {
        seen.set(name, (seen.get(name) ?? 0) + 1)
        then(answer)
      } else assert.include(refusals, answer.status, `${name}: ${answer.text}`)
    })
  const key = () => `key-${++made}`
  const forget = (gone: Member) => {
    if (members.includes(gone)) members.splice(members.indexOf(gone), 1)
  }
  const keep = (answer: Answer) => {
    const { approval_id, cost_cents, id, status } = answer.body
    requests.set(id, { status, cost: cost_cents })
    if (status === "approval_required") approvals.push(approval_id)
  }
  const dispatch = (agent: Member, task?: Task) => {
    const [service, operation] = chance.one(["echo.say", "work.quoted", "work.quoted", "work.slow", "work.dear"]).split(
      "."
    )
    return noted(
      task === undefined ? "dispatch" : "task dispatch",
      send("POST", "/service-requests", {
        key: agent.key,
        headers: task === undefined ? {} : { "x-delegated-task": task.id },
        body: { service, operation, payload: { cents: chance.int(6) } }
      }, key()),
      keep
    )
  }
  const moved = (direction: string) => ({ amount_cents: 1 + chance.int(90), direction })
  const way = () => chance.one(["allocate", "allocate", "return"])
  const decider = () => chance.one([owner.cookie, lead.cookie])
  const running = () => [...requests].filter(([, { status }]) => status === "running").map(([id]) => id)
  const wait = Effect.void

  /** One act, chosen and addressed at once; the effect sends it. */
  const acts: Readonly<Record<string, () => Effect.Effect<void>>> = {
    spawn: () => {
      const parent = chance.one(members)
      const body = {
        name: "Child",
        services: bindings.map(({ operations, service }) => ({ service, operations })),
        monthly_budget_cents: chance.int(45),
        ...chance.int(6) === 0 ? { ttl_seconds: 1 } : {}
      }
      return noted("spawn", send("POST", "/agents/spawn", { key: parent.key, body }, key()), ({ body: child }) => {
        const api_key: string | undefined = child.api_key
        // The key of a child whose answer was lost is lost too.
        if (api_key === undefined) return
        const own = { id: child.id, key: api_key }
        members.push(own)
        children.set(parent.id, [...children.get(parent.id) ?? [], own])
      })
    },
    end: () => {
      // The roots stay, so that there is always somebody who spawns.
      const gone = members.length < 8 ? undefined : chance.one(members.slice(3))
      if (gone === undefined) return wait
      return noted("end", send("DELETE", `/agents/${gone.id}`, as), () => forget(gone))
    },
    delegate: () => {
      const from = chance.one(members.filter(({ id }) => children.has(id)))
      const to = chance.one(children.get(from.id)!)
      const body = { to_agent_id: to.id, goal: "g", budget_cents: chance.int(25), services: ["echo", "work"] }
      return noted(
        "delegate",
        send("POST", `/agents/${from.id}/delegated-tasks`, { key: from.key, body }, key()),
        (answer) => void tasks.push({ id: answer.body.id, from, to })
      )
    },
    task: () => {
      if (tasks.length === 0) return wait
      const { from, id, to } = chance.one(tasks)
      const [by, status] = chance.one(
        [[from, "cancelled"], [to, "completed"], [to, "failed"], [to, "in_progress"]] as const
      )
      return noted(
        "task",
        send("PATCH", `/agents/${by.id}/delegated-tasks/${id}`, { key: by.key, body: { status } })
      )
    },
    pool: () => noted("pool", send("POST", `/teams/${team}/budget`, { ...as, body: moved(way()) }, key())),
    allocate: () =>
      noted(
        "allocate",
        send("POST", `/teams/${team}/workers/${chance.one(workers).id}/budget/allocate`, {
          cookie: decider(),
          body: moved(way())
        }, key())
      ),
    endAllocation: () =>
      noted("end allocation", send("DELETE", `/teams/${team}/workers/${chance.one(workers).id}/budget`, as)),
    transfer: () => {
      const body = chance.one([{ team_id: team }, { team_id: null }, { owner_user_id: chance.one(workers).id }])
      return noted("transfer", send("POST", `/agents/${chance.one(members).id}/transfer`, { ...as, body }))
    },
    cap: () => {
      const { id } = chance.one(members)
      recapped.add(id)
      return noted(
        "cap",
        send("PATCH", `/agents/${id}/budget`, {
          ...as,
          body: { monthly_budget_cents: chance.int(8) === 0 ? null : chance.int(150) }
        })
      )
    },
    ask: () => {
      const by = chance.one(members)
      const body = { amount_cents: 1 + chance.int(30), period: chance.one(["month", "once"]), reason: "more" }
      return noted(
        "ask",
        send("POST", "/budget-requests", { key: by.key, body }),
        (answer) => void asked.push(answer.body.id)
      )
    },
    decide: () => {
      if (asked.length === 0) return wait
      const status = chance.one(["approved", "approved", "rejected"])
      return noted(
        status,
        send("PATCH", `/budget-requests/${chance.one(asked)}`, { cookie: decider(), body: { status } })
      )
    },
    freeze: () => {
      const { id } = chance.one(members)
      return Effect.andThen(
        noted("freeze", send("PATCH", `/agents/${id}`, { ...as, body: { frozen: true } })),
        noted("unfreeze", send("PATCH", `/agents/${id}`, { ...as, body: { frozen: false } }))
      )
    },
    topUp: () => {
      const amount_cents = 1 + chance.int(40)
      return noted(
        "top-up",
        send("POST", "/balance/top-up", { ...as, body: { amount_cents } }, key()),
        () => void (funded += amount_cents)
      )
    },
    promo: () => {
      const code = `code${++made}`
      const amount = 1 + chance.int(40)
      return Effect.andThen(
        noted(
          "code",
          send("POST", "/promo/codes", { ...as, body: { code, amount_cents: amount, max_redemptions: 1 } })
        ),
        // Two at once: one of them is paid.
        Effect.all(
          [1, 2].map(() =>
            noted(
              "promo",
              send("POST", "/promo/redeem", { ...as, body: { code } }, key()),
              () => void (funded += amount)
            )
          ),
          { concurrency: "unbounded", discard: true }
        )
      )
    },
    checkout: () => {
      if (paid.length > 2) return wait
      const body = { amount_cents: 500 + chance.int(50) }
      return send("POST", "/billing/checkout-sessions", { ...as, body }, key()).pipe(
        Effect.flatMap((opened) => {
          const session = stripe.sessionOf(expectStatus(opened, 201).body.id)
          Object.assign(session, { status: "complete", paid: true })
          paid.push({ session, refunded: 0 })
          funded += session.amount
          return announced("checkout", eventOf("checkout.session.completed", sessionObject(session)))
        })
      )
    },
    refund: () => {
      const one = paid.find(({ refunded, session }) => refunded < session.amount)
      if (one === undefined) return wait
      const cents = Math.min(one.session.amount - one.refunded, 200 + chance.int(300))
      one.refunded += cents
      funded -= cents
      if (one.refunded === one.session.amount) paid.splice(paid.indexOf(one), 1)
      return announced("refund", eventOf("refund.created", refundOf(one.session, cents)))
    },
    settle: () => {
      const open = running()
      if (open.length === 0) return wait
      const [id, executed] = [chance.one(open), chance.int(3) > 0]
      const body = {
        comment: "seen",
        ...executed ? { status: "executed", cost_cents: chance.int(5) } : { status: "failed" }
      }
      return noted("settle", send("POST", `/service-requests/${id}/settle`, { ...as, body }))
    },
    approve: () => {
      const id = approvals.splice(chance.int(approvals.length), 1)[0]
      return id === undefined
        ? wait
        : noted("approve", send("POST", `/approvals/${id}/${chance.one(["approve", "approve", "reject"])}`, as))
    },
    dispatch: () => {
      const agent = chance.one(members)
      return Effect.all([dispatch(agent), dispatch(agent), dispatch(agent)], {
        concurrency: "unbounded",
        discard: true
      })
    },
    taskDispatch: () => {
      if (tasks.length === 0) return wait
      const task = chance.one(tasks)
      return Effect.all([dispatch(task.to, task), dispatch(task.to, task)], { concurrency: "unbounded", discard: true })
    }
  }

  /** Events of a payment come twice, on either hub, until they are accepted. */
  function announced(name: string, event: string): Effect.Effect<void> {
    const deliver = (url: string) =>
      Effect.catchCause(stripe.deliver({ url }, event), () => stripe.deliver({ url: first.url }, event))
    return Effect.map(
      Effect.all([deliver(first.url), deliver(secondUrl())], { concurrency: "unbounded" }),
      (answers) => {
        for (const answer of answers) expectStatus(answer, 200)
        seen.set(name, (seen.get(name) ?? 0) + 1)
      }
    )
  }
  let secondUrl = () => first.url

  /** Checks every node, once nothing is in progress. */
  const examine = Effect.gen(function*() {
    yield* until(
      "no request is at a provider",
      first.run(Effect.orDie(Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => Effect.map(sql`select 1 from holds where phase = 1 limit 1`, (rows) => rows.length === 0)
      )))
    )
    for (const [id, known] of requests) {
      if (known.status !== "running" && known.status !== "approval_required") continue
      const { body } = expectStatus(yield* first.api("GET", `/service-requests/${id}`, as), 200)
      Object.assign(known, { status: body.status, cost: body.cost_cents })
    }
    // Commitments above a cap are corrected by the next round.
    yield* first.run(Effect.flatMap(FamilySweeper, ({ corrections }) => corrections))
    const all = yield* first.run(Effect.orDie(nodesOf(owner.org)))
    const living = all.filter(({ is_living }) => is_living)
    expectNodes(all, { recapped, taken })
    taken = new Map(living.map((node) => [`${node.id} ${node.mode}`, node.used + node.held + node.committed]))
    recapped = new Set()
    for (const { id } of members) {
      const { body, status } = yield* first.api("GET", `/agents/${id}/budget`, as)
      const node = living.find((each) => each.id === id && each.mode === "live")
      // Its time to live may be over.
      assert.strictEqual(status, node === undefined ? 404 : 200)
      if (node === undefined) continue
      assert.deepStrictEqual(
        [body.monthly_budget_cents, body.spent_cents, body.held_cents, body.committed_cents],
        [node.cap, node.used, node.held, node.committed]
      )
    }
    const held = yield* first.run(Effect.orDie(walletsOf(owner.org)))
    expectWallets(held)
    const charged = [...requests.values()].reduce((sum, { cost }) => sum + cost, 0)
    assert.strictEqual(held.reduce((sum, { balance }) => sum + balance, 0), funded - charged)
    yield* expectHealthy(first.target)
    for (const gone of members.filter(({ id }) => !living.some((node) => node.id === id))) forget(gone)
  })

  /** A refund of spent money freezes the workspace; a person lifts the freeze. */
  const thaw = Effect.gen(function*() {
    const { body } = yield* first.api("GET", `/workspaces/${owner.org}`, as)
    if (body.frozen !== true) return
    seen.set("workspace frozen", (seen.get("workspace frozen") ?? 0) + 1)
    yield* topUp(first, owner, 300)
    funded += 300
    expectStatus(yield* first.api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { frozen: false } }), 200)
  })

  // Each root has a child, a task of it, and a budget request, so that every act has something to act on.
  const roots = members.slice()
  for (const parent of roots) {
    const body = { name: "Child", services: [{ service: "echo", operations: ["*"] }], monthly_budget_cents: 20 }
    const { body: child } = expectStatus(yield* first.api("POST", "/agents/spawn", { key: parent.key, body }), 201)
    const own = { id: child.id, key: child.api_key }
    members.push(own)
    children.set(parent.id, [own])
    const task = { to_agent_id: own.id, goal: "g", budget_cents: 10, services: ["echo", "work"] }
    const call = { key: parent.key, body: task }
    const delegated = expectStatus(yield* first.api("POST", `/agents/${parent.id}/delegated-tasks`, call), 201)
    tasks.push({ id: delegated.body.id, from: parent, to: own })
    const more = { amount_cents: 10, period: "once", reason: "more" }
    asked.push(expectStatus(yield* first.api("POST", "/budget-requests", { key: own.key, body: more }), 201).body.id)
  }

  return {
    owner,
    seen,
    examine,
    thaw,
    /** Deliveries of payment events go to this address too. */
    deliverTo: (url: () => string) => void (secondUrl = url),
    act: (name: string): Effect.Effect<void> => acts[name]!(),
    names: Object.keys(acts),
    monthTurns: first.run(monthTurns(owner.org))
  }
})
