/** The pending approvals and requests of one hub: single cases, and random orders of lists, rows, events, and losses. */
import type { HubState } from "@countersign/desktop/bridge/hub-state"
import { makeHubWaiting, rowsMax, type Want } from "@countersign/desktop/main/waiting/hub-waiting"
import { requestKindOf } from "@countersign/desktop/main/waiting/request-row"
import type { WaitingRow } from "@countersign/desktop/main/waiting/row"
import type { EventType, HubEvent } from "@countersign/domain/events"
import { assert, describe, it } from "vitest"
import { chanceOf } from "../../../support/random.ts"

/** `apr_1`, `arq_1`, and `brq_1` are an approval, an agent request, and a budget request. */
const kindOf = (id: string): WaitingRow["kind"] => requestKindOf(id) ?? "approval"
const row = (id: string, more: Partial<WaitingRow> = {}): WaitingRow => ({
  kind: kindOf(id),
  id,
  workspace: "org_1",
  sentence: `asks ${id}`,
  agent: "Scout",
  cents: 100,
  requestedAt: Number(id.slice(4)),
  expiresAt: 9e12,
  mine: true,
  ...more
})
const event = (type: EventType, id: string): { readonly kind: "event"; readonly event: HubEvent } => ({
  kind: "event",
  event: { id: `evt_${type}_${id}`, type, subject: { type: kindOf(id), id }, version: 1, workspace: "org_1" }
})
const connected: HubState = { phase: "connected", since: 0 }
const offline: HubState = { phase: "offline", since: 0, cause: "ECONNREFUSED" }
const generationOf = (wants: ReadonlyArray<Want>): number => wants[0]!.generation
const ids = (rows: ReadonlyArray<WaitingRow>) => rows.map(({ id }) => id)

/** Connected, with these approvals listed. */
const withList = (...listed: ReadonlyArray<string>) => {
  const waiting = makeHubWaiting(connected)
  const generation = generationOf(waiting.apply({ kind: "open" }))
  waiting.apply({ kind: "listed", generation, rows: listed.map((id) => row(id)), more: false })
  return { waiting, generation }
}

describe("pending approvals and requests of one hub", () => {
  it("are unknown until the first list arrived", () => {
    const waiting = makeHubWaiting({ phase: "connecting", since: 0 })
    assert.deepStrictEqual(waiting.view(), {
      state: { phase: "connecting", since: 0 },
      freshness: "unknown",
      rows: [],
      more: false
    })
    waiting.apply({ kind: "state", state: connected })
    assert.strictEqual(waiting.view().freshness, "unknown")
    waiting.apply({
      kind: "listed",
      generation: generationOf(waiting.apply({ kind: "open" })),
      rows: [row("apr_2"), row("apr_1")],
      more: false
    })
    assert.deepStrictEqual([waiting.view().freshness, ids(waiting.view().rows)], ["current", ["apr_1", "apr_2"]])
  })

  it.each(["approval.decided", "approval.expired"] as const)("only %s removes an approval, at once", (type) => {
    const { waiting } = withList("apr_1", "apr_2")
    waiting.apply(event("service_request.updated", "apr_1"))
    assert.lengthOf(waiting.view().rows, 2)
    assert.deepStrictEqual(waiting.apply(event(type, "apr_1")), [])
    assert.deepStrictEqual(ids(waiting.view().rows), ["apr_2"])
  })

  it("keep an approval that expired by this clock until the hub reports it", () => {
    const waiting = makeHubWaiting(connected)
    waiting.apply({
      kind: "listed",
      generation: generationOf(waiting.apply({ kind: "open" })),
      rows: [row("apr_1", { expiresAt: 1 })],
      more: false
    })
    assert.lengthOf(waiting.view().rows, 1)
  })

  it("a new one is read before it is shown, and never shown if decided meanwhile", () => {
    const { generation, waiting } = withList()
    assert.deepStrictEqual(waiting.apply(event("approval.created", "apr_1")), [{
      kind: "read",
      generation,
      id: "apr_1",
      workspace: "org_1"
    }])
    assert.isEmpty(waiting.view().rows)
    waiting.apply(event("approval.decided", "apr_1"))
    waiting.apply({ kind: "read", generation, id: "apr_1", row: row("apr_1") })
    assert.isEmpty(waiting.view().rows)
  })

  it.each(
    [
      ["agent_request.created", "agent_request.updated", "arq_1"],
      ["budget_request.updated", "budget_request.updated", "brq_1"]
    ] as const
  )("%s adds a request after a read, and %s reads it again and removes it once it is decided", (made, changed, id) => {
    const { generation, waiting } = withList("apr_2")
    const read = { kind: "read", generation, id, workspace: "org_1" } as const
    assert.deepStrictEqual(waiting.apply(event(made, id)), [read])
    assert.deepStrictEqual(waiting.apply({ kind: "read", generation, id, row: row(id) }), [])
    assert.sameMembers(ids(waiting.view().rows), ["apr_2", id])
    assert.deepStrictEqual(waiting.apply(event(changed, id)), [read])
    assert.lengthOf(waiting.view().rows, 2)
    waiting.apply({ kind: "read", generation, id, row: undefined })
    assert.deepStrictEqual(ids(waiting.view().rows), ["apr_2"])
    assert.deepStrictEqual(waiting.apply(event(changed, id)), [])
  })

  it("ignore an event of a budget request that has another subject", () => {
    const { waiting } = withList()
    const { event: of } = event("budget_request.updated", "brq_1")
    assert.isEmpty(waiting.apply({ kind: "event", event: { ...of, subject: { type: "agent", id: "agt_1" } } }))
  })

  it("a list from before a decision does not bring an approval back", () => {
    const waiting = makeHubWaiting(connected)
    const generation = generationOf(waiting.apply({ kind: "open" }))
    waiting.apply(event("approval.decided", "apr_1"))
    waiting.apply({ kind: "listed", generation, rows: [row("apr_1"), row("apr_2")], more: false })
    assert.deepStrictEqual(ids(waiting.view().rows), ["apr_2"])
  })

  it("a row that was read separately survives an older list", () => {
    const waiting = makeHubWaiting(connected)
    const generation = generationOf(waiting.apply({ kind: "open" }))
    waiting.apply(event("approval.created", "apr_3"))
    waiting.apply({ kind: "read", generation, id: "apr_3", row: row("apr_3") })
    waiting.apply({ kind: "listed", generation, rows: [row("apr_1")], more: false })
    assert.deepStrictEqual(ids(waiting.view().rows), ["apr_1", "apr_3"])
  })

  it("two changes during a read cause one further read, in order", () => {
    const { generation, waiting } = withList("apr_1")
    assert.lengthOf(waiting.apply(event("approval.updated", "apr_1")), 1)
    assert.isEmpty(waiting.apply(event("approval.updated", "apr_1")))
    assert.lengthOf(waiting.apply({ kind: "read", generation, id: "apr_1", row: row("apr_1") }), 1)
    waiting.apply({ kind: "read", generation, id: "apr_1", row: row("apr_1", { mine: false }) })
    assert.isFalse(waiting.view().rows[0]!.mine)
  })

  it("of a lost hub stay as last known until the next list", () => {
    const { waiting } = withList("apr_1")
    waiting.apply({ kind: "state", state: offline })
    assert.deepStrictEqual([waiting.view().freshness, ids(waiting.view().rows)], ["last_known", ["apr_1"]])
    waiting.apply({ kind: "state", state: connected })
    assert.strictEqual(waiting.view().freshness, "last_known")
    waiting.apply({ kind: "listed", generation: generationOf(waiting.apply({ kind: "open" })), rows: [], more: false })
    assert.deepStrictEqual([waiting.view().freshness, waiting.view().rows], ["current", []])
  })

  it("stay current while a reopened stream is listed, and become last known with the reason when the list fails", () => {
    const { waiting } = withList("apr_1")
    const generation = generationOf(waiting.apply({ kind: "open" }))
    assert.strictEqual(waiting.view().freshness, "current")
    waiting.apply({ kind: "list_failed", generation, code: "internal_error" })
    assert.deepInclude(waiting.view(), { freshness: "last_known", problem: "internal_error" })
    waiting.apply({ kind: "listed", generation, rows: [row("apr_2")], more: false })
    assert.deepStrictEqual(waiting.view(), {
      state: connected,
      freshness: "current",
      rows: [row("apr_2")],
      more: false
    })
  })

  it("a late state change does not discard a list permanently", () => {
    const waiting = makeHubWaiting({ phase: "connecting", since: 0 })
    waiting.apply({ kind: "open" })
    waiting.apply({ kind: "state", state: { phase: "connecting", since: 1 } })
    const generation = generationOf(waiting.apply({ kind: "state", state: connected }))
    waiting.apply({ kind: "listed", generation, rows: [row("apr_1")], more: false })
    assert.strictEqual(waiting.view().freshness, "current")
  })

  it("are removed by signing out", () => {
    const { waiting } = withList("apr_1")
    waiting.apply({ kind: "state", state: { phase: "signed_out", since: 1, cause: "nobody" } })
    assert.deepStrictEqual([waiting.view().freshness, waiting.view().rows], ["unknown", []])
  })

  it("many events cause a list instead of single reads, and the rows are bounded", () => {
    const { waiting } = withList()
    const wants = Array.from({ length: 60 }, (_, at) => waiting.apply(event("approval.created", `apr_${at}`))).flat()
    assert.deepStrictEqual(wants.map(({ kind }) => kind).filter((kind) => kind === "list").length > 0, true)
    assert.isBelow(wants.filter(({ kind }) => kind === "read").length, 60)
    const { generation } = wants.findLast(({ kind }) => kind === "list")!
    waiting.apply({
      kind: "listed",
      generation,
      rows: Array.from({ length: rowsMax + 5 }, (_, at) => row(`apr_${at}`)),
      more: false
    })
    assert.deepStrictEqual([waiting.view().rows.length, waiting.view().more], [rowsMax, true])
  })
})

const createdBy = {
  approval: "approval.created",
  agent_request: "agent_request.created",
  budget_request: "budget_request.updated"
} as const
const updatedBy = {
  approval: "approval.updated",
  agent_request: "agent_request.updated",
  budget_request: "budget_request.updated"
} as const

/**
 * A model hub: an approval or a request is pending until it is decided. Lists and rows contain the state at their answer and arrive
 * later; events arrive in order; a loss drops pending messages.
 */
const runScenario = (seed: number): string => {
  const chance = chanceOf(seed)
  const waiting = makeHubWaiting({ phase: "connecting", since: 0 })
  const pending = new Set<string>()
  const everDecided = new Set<string>()
  let made = 0
  const make = () => {
    const id = `${chance.one(["apr", "arq", "brq"])}_${made++}`
    pending.add(id)
    send(event(createdBy[kindOf(id)], id))
  }
  /** Events that the hub sent and the client has not received. */
  let stream: Array<ReturnType<typeof event>> = []
  let states: Array<HubState> = []
  let wants: Array<Want> = []
  let answers: Array<() => ReadonlyArray<Want>> = []
  let open = false
  /** The performed steps, for failure messages. */
  const steps: Array<string> = [`seed ${seed}`]
  const send = (each: ReturnType<typeof event>) => {
    if (open) stream.push(each)
  }
  const follow = (more: ReadonlyArray<Want>) => wants.push(...more)
  const answer = () => {
    const at = chance.int(wants.length)
    const want = wants.splice(at, 1)[0]
    if (want === undefined) return
    const fails = chance.int(8) === 0
    if (want.kind === "list") {
      const rows = [...pending].map((id) => row(id))
      answers.push(() =>
        waiting.apply(
          fails
            ? { kind: "list_failed", generation: want.generation, code: "internal_error" }
            : { kind: "listed", generation: want.generation, rows, more: false }
        )
      )
    } else {
      const found = pending.has(want.id) ? row(want.id) : undefined
      answers.push(() =>
        waiting.apply(
          fails
            ? { kind: "read_failed", generation: want.generation, id: want.id }
            : { kind: "read", generation: want.generation, id: want.id, row: found }
        )
      )
    }
  }
  const receiveAnswer = () => {
    const receive = answers.splice(chance.int(answers.length), 1)[0]
    if (receive !== undefined) follow(receive())
  }
  const receiveEvent = () => {
    const next = stream.shift()
    if (next !== undefined) follow(waiting.apply(next))
  }
  const receiveState = () => {
    const next = states.shift()
    if (next !== undefined) follow(waiting.apply({ kind: "state", state: next }))
  }
  const connect = () => {
    if (open) return
    open = true
    stream = []
    states.push({ phase: "connecting", since: 0 }, connected)
    follow(waiting.apply({ kind: "open" }))
  }
  const lose = () => {
    if (!open) return
    open = false
    stream = []
    states.push(offline)
    if (chance.int(2) === 0) answers = []
  }
  const acts: ReadonlyArray<readonly [string, () => void]> = [
    ["make", make],
    ["make", make],
    ["update", () => {
      if (pending.size === 0) return
      const id = chance.one([...pending])
      send(event(updatedBy[kindOf(id)], id))
    }],
    ["decide", () => {
      if (pending.size === 0) return
      const id = chance.one([...pending])
      pending.delete(id)
      everDecided.add(id)
      const isApproval = kindOf(id) === "approval"
      send(event(isApproval ? chance.one(["approval.decided", "approval.expired"]) : updatedBy[kindOf(id)], id))
    }],
    ["connect", connect],
    ["lose", () => {
      if (chance.int(4) === 0) lose()
    }],
    ["reset", () => {
      if (open && chance.int(4) === 0) {
        stream = []
        follow(waiting.apply({ kind: "reset" }))
      }
    }],
    ["answer", answer],
    ["answer", answer],
    ["receive an answer", receiveAnswer],
    ["receive an answer", receiveAnswer],
    ["receive an event", receiveEvent],
    ["receive an event", receiveEvent],
    ["receive a state", receiveState]
  ]
  for (let step = 0; step < 150; step++) {
    const [name, act] = chance.one(acts)
    const before = new Set(ids(waiting.view().rows))
    act()
    steps.push(name)
    for (const id of ids(waiting.view().rows)) {
      // After a reported decision, only a list or row that was answered before it could bring the approval back; that
      // must never happen.
      if (!before.has(id) && everDecided.has(id) && name === "receive an event") {
        assert.fail(`${id} came back by an event: ${steps.join(", ")}`)
      }
    }
    // A pending approval must not disappear.
    if (name === "receive an event" || name === "make" || name === "decide") {
      for (const id of before) {
        if (!ids(waiting.view().rows).includes(id) && pending.has(id)) {
          assert.fail(`${id} left though it waits: ${steps.join(", ")}`)
        }
      }
    }
  }
  // After everything has arrived, the displayed approvals are the pending ones.
  connect()
  for (let rounds = 0; wants.length + answers.length + stream.length + states.length > 0; rounds++) {
    if (rounds > 2_000) assert.fail(`never settles: ${steps.join(", ")}`)
    receiveState()
    receiveEvent()
    answer()
    receiveAnswer()
  }
  assert.strictEqual(waiting.view().freshness, "current", steps.join(", "))
  assert.sameMembers(ids(waiting.view().rows), [...pending], steps.join(", "))
  return steps.join()
}

describe("in any order", () => {
  it("ends with exactly the pending approvals and requests, and brings no decided one back", () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 800; seed++) seen.add(runScenario(seed))
    assert.lengthOf([...seen], 800)
  })
})
