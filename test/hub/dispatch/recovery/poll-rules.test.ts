/** The shares of poll slots, over random states. */
import type { OrgId } from "@countersign/domain/ids"
import {
  allot,
  type DueLane,
  laneKey,
  nextPollMillis,
  orgShare,
  pollLimits
} from "@countersign/hub/dispatch/recovery/poll-rules"
import { assert, describe, it } from "@effect/vitest"
import { chanceOf } from "../../../support/random.ts"

const limits = { total: 24, org: 8, lane: 4 }

interface State {
  readonly due: Map<string, DueLane>
  readonly orgs: Map<OrgId, number>
  readonly lanes: Map<string, number>
  total: number
}

const emptyState = (): State => ({ due: new Map(), orgs: new Map(), lanes: new Map(), total: 0 })
const laneOf = (org: number, operation: number, due: number): DueLane => ({
  org_id: `org_${org}`,
  service: "s",
  operation: `o${operation}`,
  due
})
const add = <K extends string>(counts: Map<K, number>, key: K, by: number) =>
  counts.set(key, (counts.get(key) ?? 0) + by)

/** One round: the given slots are in use from then on. */
const look = (state: State, last: string) => {
  const due = [...state.due.values()].map((lane) => ({ ...lane, due: Math.min(lane.due, limits.lane) }))
  const given = allot(limits, state, due, last)
  for (const { slots, ...lane } of given.allotments) {
    const key = laneKey(lane)
    add(state.orgs, lane.org_id, slots)
    add(state.lanes, key, slots)
    state.total += slots
    const left = (state.due.get(key)?.due ?? 0) - slots
    if (left < 0) throw new Error("gave more than was due")
    state.due.set(key, { ...lane, due: left })
  }
  return given
}

describe("poll slots", () => {
  it("never exceed the limits, and are always given while one is free and work is due", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { int } = chanceOf(seed)
      const state = emptyState()
      let last = ""
      for (let turn = 0; turn < 12; turn++) {
        for (let made = int(6); made > 0; made--) {
          const lane = laneOf(int(8), int(3), 1 + int(20))
          state.due.set(laneKey(lane), lane)
        }
        const before = state.total
        const possible = [...state.due.values()].some(({ due, org_id }) => due > 0 && !state.orgs.has(org_id))
        const given = look(state, last)
        last = given.last
        assert.isAtMost(state.total, limits.total, `seed ${seed}`)
        for (const count of state.orgs.values()) assert.isAtMost(count, limits.org, `seed ${seed}`)
        for (const count of state.lanes.values()) assert.isAtMost(count, limits.lane, `seed ${seed}`)
        if (possible && before < limits.total) assert.isAbove(state.total, before, `seed ${seed}`)
        // Some polls end.
        for (const [key, count] of state.lanes) {
          const ended = int(count + 1)
          const [org] = key.split(" ") as [OrgId]
          add(state.lanes, key, -ended)
          add(state.orgs, org, -ended)
          state.total -= ended
          if (state.lanes.get(key) === 0) state.lanes.delete(key)
          if (state.orgs.get(org) === 0) state.orgs.delete(org)
        }
      }
    }
  })

  it("stay free for a new workspace, however many polls of others never end", () => {
    for (const silent of [1, 2, 5, 10, 40]) {
      const state = emptyState()
      for (let org = 0; org < silent; org++) {
        for (let operation = 0; operation < 10; operation++) {
          const lane = laneOf(org, operation, 1_000)
          state.due.set(laneKey(lane), lane)
        }
      }
      const due = () => [...state.due.values()].map((lane) => ({ ...lane, due: pollLimits.lane }))
      for (let turn = 0; turn < 50; turn++) {
        for (const { slots, ...lane } of allot(pollLimits, state, due(), "").allotments) {
          add(state.orgs, lane.org_id, slots)
          add(state.lanes, laneKey(lane), slots)
          state.total += slots
        }
      }
      const fresh = laneOf(99, 0, 1)
      const given = allot(pollLimits, state, [...due(), fresh], "").allotments.find(({ org_id }) =>
        org_id === fresh.org_id
      )
      assert.strictEqual(given?.slots, 1, `${silent} silent workspaces hold ${state.total} slots`)
      assert.isAtMost(state.orgs.get("org_0") ?? 0, Math.ceil(orgShare(pollLimits, 0)))
    }
  })

  it("stay free for another operation of a workspace whose operation never answers", () => {
    const state = emptyState()
    const silent = laneOf(0, 0, 1_000)
    const other = laneOf(0, 1, 1)
    for (let turn = 0; turn < 20; turn++) {
      for (const { slots } of allot(pollLimits, state, [silent], "").allotments) {
        add(state.orgs, silent.org_id, slots)
        add(state.lanes, laneKey(silent), slots)
        state.total += slots
      }
    }
    assert.strictEqual(state.total, pollLimits.lane)
    assert.deepStrictEqual(allot(pollLimits, state, [silent, other], "").allotments, [
      { org_id: other.org_id, service: other.service, operation: other.operation, slots: 1 }
    ])
  })

  it("rotate between workspaces when one is free at a time", () => {
    const one = { total: 1, org: 1, lane: 1 }
    const due = [0, 1, 2].map((org) => laneOf(org, 0, 10))
    const none = { total: 0, orgs: new Map(), lanes: new Map() }
    const turns: Array<string> = []
    for (let last = ""; turns.length < 6;) {
      const given = allot(one, none, due, last)
      last = given.last
      turns.push(...given.allotments.map(({ org_id }) => org_id))
    }
    assert.deepStrictEqual(turns, ["org_0", "org_1", "org_2", "org_0", "org_1", "org_2"])
  })

  it("follow the interval, and later only for polls without an answer", () => {
    assert.deepStrictEqual([0, 1, 2, 3, 30].map((failures) => nextPollMillis(1_000, failures)), [
      1_000,
      1_000,
      2_000,
      4_000,
      300_000
    ])
    assert.strictEqual(nextPollMillis(3_600_000, 5), 3_600_000)
  })
})
