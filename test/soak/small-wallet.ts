/**
 * 200 calls at the same moment on two hubs against one small wallet: spawns of one capped agent, transfers to and from a
 * pool and an allocation, promo codes, and requests that three wallets pay. Nothing is a cent over any limit, and every
 * cent is where the answers say.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { expectHealthy } from "../support/health.ts"
import { spawnHub } from "../support/hub-program.ts"
import { type Answer, expectStatus, firstOwner, makeAgent, startHub, topUp } from "../support/hub.ts"
import { expectNodes, expectWallets, nodesOf, walletsOf } from "../support/money-tree-books.ts"
import { makeSignedIn } from "../support/people.ts"
import { chanceOf } from "../support/random.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

const callsPerRound = 200
/** What the wallet has when a round begins. */
const walletCents = 60
const parentCapCents = 40
const childCapCents = 7
const promoCents = 3
const codesPerRound = 5

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    const first = yield* startHub()
    const second = yield* spawnHub({ database: first.target })
    const owner = yield* firstOwner(first)
    const as = { cookie: owner.cookie }
    const worker = yield* makeSignedIn(first, owner.org, "member")
    const parent = yield* makeAgent(first, owner, { monthly_budget_cents: parentCapCents })
    const payers = [parent, yield* makeAgent(first, owner), yield* makeAgent(first, worker)]
    const balanceOf = (query = "") =>
      Effect.map(first.api("GET", `/balance${query}`, as), ({ body }) => body.balance_cents as number)
    /** What may answer besides success: a limit that is reached, and the race of two ends. */
    const refusals: Readonly<Record<string, ReadonlyArray<string>>> = {
      spawn: ["insufficient_budget"],
      pool: ["insufficient_balance"],
      allocate: ["insufficient_balance"],
      promo: ["promo_redeemed"],
      request: ["insufficient_balance", "agent_budget_exceeded"]
    }
    let refused = 0
    for (let round = 0; round < scale; round++) {
      const before = yield* balanceOf()
      if (before < walletCents) yield* topUp(first, owner, walletCents - before)
      const funds = Math.max(before, walletCents)
      const team =
        expectStatus(yield* first.api("POST", "/teams", { ...as, body: { name: `Team ${round}` } }), 201).body.id
      const member = { ...as, body: { user_id: worker.id, role: "worker" } }
      expectStatus(yield* first.api("POST", `/teams/${team}/members`, member), 201)
      const move = { ...as, body: { team_id: team } }
      expectStatus(yield* first.api("POST", `/agents/${payers[2]!.id}/transfer`, move), 200)
      for (let at = 0; at < codesPerRound; at++) {
        const body = { code: `code-${round}-${at}`, amount_cents: promoCents }
        expectStatus(yield* first.api("POST", "/promo/codes", { ...as, body }), 201)
      }
      const spentBefore = (yield* first.api("GET", `/agents/${parent.id}/budget`, as)).body.spent_cents as number
      const cents = () => ({
        amount_cents: 1 + chance.int(9),
        direction: chance.one(["allocate", "allocate", "return"])
      })
      const calls: Readonly<Record<string, () => Parameters<typeof first.api>>> = {
        spawn: () => [
          "POST",
          "/agents/spawn",
          { key: parent.key, body: { name: "Child", services: [], monthly_budget_cents: childCapCents } }
        ],
        pool: () => ["POST", `/teams/${team}/budget`, { ...as, body: cents() }],
        allocate: () => ["POST", `/teams/${team}/workers/${worker.id}/budget/allocate`, { ...as, body: cents() }],
        promo: () => ["POST", "/promo/redeem", { ...as, body: { code: `code-${round}-${chance.int(codesPerRound)}` } }],
        request: () => [
          "POST",
          "/service-requests",
          { key: chance.one(payers).key, body: { service: "echo", operation: "say", payload: {} } }
        ]
      }
      const answers = yield* Effect.all(
        Array.from({ length: callsPerRound }, (_, at) => {
          const kind = Object.keys(calls)[at % 5]!
          const { api } = chance.int(2) === 0 ? first : second
          return Effect.map(api(...calls[kind]!()), (answer) => [kind, answer] as const)
        }),
        { concurrency: "unbounded" }
      )
      const passed = (kind: string) => answers.filter(([of, answer]) => of === kind && isDone(answer)).length
      const children: Array<string> = []
      for (const [kind, answer] of answers) {
        if (isDone(answer)) {
          if (kind === "spawn") children.push(answer.body.id)
          continue
        }
        refused++
        assert.include(refusals[kind]!, answer.body.error?.code ?? answer.body.reason_code, answer.text)
      }
      assert.isAtMost(passed("promo"), codesPerRound)
      const nodes = yield* first.run(Effect.orDie(nodesOf(owner.org)))
      expectNodes(nodes, { recapped: new Set(), taken: new Map() })
      const wallets = yield* first.run(Effect.orDie(walletsOf(owner.org)))
      expectWallets(wallets)
      const over = [
        ...nodes.map(({ cap, committed, held, used }) => used + held + committed - (cap ?? Number.POSITIVE_INFINITY)),
        ...wallets.map(({ balance, held }) => held - balance)
      ].reduce((sum, each) => sum + Math.max(0, each), 0)
      assert.strictEqual(over, 0)
      const own = nodes.find(({ id, mode }) => id === parent.id && mode === "live")!
      assert.strictEqual(own.committed, childCapCents * passed("spawn"))
      const left = wallets.reduce((sum, { balance }) => sum + balance, 0)
      assert.strictEqual(left, funds + promoCents * passed("promo") - passed("request"))
      // The next round begins with free budgets, and a wallet that got everything back.
      for (const id of children) expectStatus(yield* second.api("DELETE", `/agents/${id}`, as), 204)
      expectStatus(yield* second.api("DELETE", `/teams/${team}`, as), 204)
      assert.strictEqual(yield* balanceOf(), left)
      const cap = own.used + parentCapCents
      assert.isAtLeast(own.used, spentBefore)
      const body = { monthly_budget_cents: cap }
      expectStatus(yield* first.api("PATCH", `/agents/${parent.id}/budget`, { ...as, body }), 200)
      if (round % 10 === 9 || round === scale - 1) {
        yield* expectHealthy(first.target)
        log(`${round + 1} rounds, ${refused} calls refused, 0 cents over`)
      }
    }
    assert.isAbove(refused, 0)
  }).pipe(Effect.scoped, Effect.runPromise)

const isDone = ({ body, status }: Answer): boolean =>
  status === 201 || (status === 200 && (body.status === undefined || body.status === "executed"))

export const soak: SoakScenario = {
  name: "small-wallet",
  summary: "200 racing spawns, transfers, promo codes, and requests on two hubs; the scale is the number of rounds",
  run
}
