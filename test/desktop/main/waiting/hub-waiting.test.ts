/** What waits on one hub: by hand, and under every order that lists, rows, events and losses can come in. */
import type { HubState } from "@countersign/desktop/main/hub/port"
import { makeHubWaiting, rowsMax, type Want } from "@countersign/desktop/main/waiting/hub-waiting"
import type { WaitingRow } from "@countersign/desktop/main/waiting/row"
import type { EventType, HubEvent } from "@countersign/domain/events"
import { assert, describe, it } from "vitest"
import { chanceOf } from "../../../support/random.ts"

const row = (id: string, more: Partial<WaitingRow> = {}): WaitingRow => ({
  id,
  workspace: "org_1",
  sentence: `asks ${id}`,
  agent: "Scout",
  costCents: 100,
  requestedAt: Number(id.slice(4)),
  expiresAt: 9e12,
  digest: "0".repeat(64),
  mine: true,
  ...more
})
const event = (type: EventType, id: string): { readonly kind: "event"; readonly event: HubEvent } => ({
  kind: "event",
  event: { id: `evt_${type}_${id}`, type, subject: { type: "approval", id }, version: 1, workspace: "org_1" }
})
const connected: HubState = { phase: "connected", since: 0 }
const offline: HubState = { phase: "offline", since: 0, cause: "ECONNREFUSED" }
const generationOf = (wants: ReadonlyArray<Want>): number => wants[0]!.generation
const ids = (rows: ReadonlyArray<WaitingRow>) => rows.map(({ id }) => id)

/** Connected, with these listed. */
const withList = (...listed: ReadonlyArray<string>) => {
  const waiting = makeHubWaiting(connected)
  const generation = generationOf(waiting.hear({ kind: "open" }))
  waiting.hear({ kind: "listed", generation, rows: listed.map((id) => row(id)), more: false })
  return { waiting, generation }
}

describe("what waits on one hub", () => {
  it("is unknown until the hub has told it", () => {
    const waiting = makeHubWaiting({ phase: "connecting", since: 0 })
    assert.deepStrictEqual(waiting.view(), {
      state: { phase: "connecting", since: 0 },
      standing: "unknown",
      rows: [],
      more: false
    })
    waiting.hear({ kind: "state", state: connected })
    assert.strictEqual(waiting.view().standing, "unknown")
    waiting.hear({
      kind: "listed",
      generation: generationOf(waiting.hear({ kind: "open" })),
      rows: [row("apr_2"), row("apr_1")],
      more: false
    })
    assert.deepStrictEqual([waiting.view().standing, ids(waiting.view().rows)], ["current", ["apr_1", "apr_2"]])
  })

  it.each(["approval.decided", "approval.expired"] as const)("%s takes it away at once, nothing else does", (type) => {
    const { waiting } = withList("apr_1", "apr_2")
    waiting.hear(event("service_request.updated", "apr_1"))
    assert.lengthOf(waiting.view().rows, 2)
    assert.deepStrictEqual(waiting.hear(event(type, "apr_1")), [])
    assert.deepStrictEqual(ids(waiting.view().rows), ["apr_2"])
  })

  it("one whose time is over by this clock stays until the hub says so", () => {
    const waiting = makeHubWaiting(connected)
    waiting.hear({
      kind: "listed",
      generation: generationOf(waiting.hear({ kind: "open" })),
      rows: [row("apr_1", { expiresAt: 1 })],
      more: false
    })
    assert.lengthOf(waiting.view().rows, 1)
  })

  it("a new one is read before it shows; decided meanwhile, it never shows", () => {
    const { generation, waiting } = withList()
    assert.deepStrictEqual(waiting.hear(event("approval.created", "apr_1")), [{
      kind: "read",
      generation,
      id: "apr_1",
      workspace: "org_1"
    }])
    assert.isEmpty(waiting.view().rows)
    waiting.hear(event("approval.decided", "apr_1"))
    waiting.hear({ kind: "read", generation, id: "apr_1", row: row("apr_1") })
    assert.isEmpty(waiting.view().rows)
  })

  it("a list that was read before a decision does not bring it back", () => {
    const waiting = makeHubWaiting(connected)
    const generation = generationOf(waiting.hear({ kind: "open" }))
    waiting.hear(event("approval.decided", "apr_1"))
    waiting.hear({ kind: "listed", generation, rows: [row("apr_1"), row("apr_2")], more: false })
    assert.deepStrictEqual(ids(waiting.view().rows), ["apr_2"])
  })

  it("what was read by itself outlives a list that was begun before it", () => {
    const waiting = makeHubWaiting(connected)
    const generation = generationOf(waiting.hear({ kind: "open" }))
    waiting.hear(event("approval.created", "apr_3"))
    waiting.hear({ kind: "read", generation, id: "apr_3", row: row("apr_3") })
    waiting.hear({ kind: "listed", generation, rows: [row("apr_1")], more: false })
    assert.deepStrictEqual(ids(waiting.view().rows), ["apr_1", "apr_3"])
  })

  it("two changes of one while it is read: it is read once more, in order", () => {
    const { generation, waiting } = withList("apr_1")
    assert.lengthOf(waiting.hear(event("approval.updated", "apr_1")), 1)
    assert.isEmpty(waiting.hear(event("approval.updated", "apr_1")))
    assert.lengthOf(waiting.hear({ kind: "read", generation, id: "apr_1", row: row("apr_1") }), 1)
    waiting.hear({ kind: "read", generation, id: "apr_1", row: row("apr_1", { mine: false }) })
    assert.isFalse(waiting.view().rows[0]!.mine)
  })

  it("a lost hub keeps what was last known, marked so, until it was listed again", () => {
    const { waiting } = withList("apr_1")
    waiting.hear({ kind: "state", state: offline })
    assert.deepStrictEqual([waiting.view().standing, ids(waiting.view().rows)], ["last_known", ["apr_1"]])
    waiting.hear({ kind: "state", state: connected })
    assert.strictEqual(waiting.view().standing, "last_known")
    waiting.hear({ kind: "listed", generation: generationOf(waiting.hear({ kind: "open" })), rows: [], more: false })
    assert.deepStrictEqual([waiting.view().standing, waiting.view().rows], ["current", []])
  })

  it("a stream that only moved takes nothing away while it is listed again; a list that fails does, and says why", () => {
    const { waiting } = withList("apr_1")
    const generation = generationOf(waiting.hear({ kind: "open" }))
    assert.strictEqual(waiting.view().standing, "current")
    waiting.hear({ kind: "list_failed", generation, code: "internal_error" })
    assert.deepInclude(waiting.view(), { standing: "last_known", problem: "internal_error" })
    waiting.hear({ kind: "listed", generation, rows: [row("apr_2")], more: false })
    assert.deepStrictEqual(waiting.view(), { state: connected, standing: "current", rows: [row("apr_2")], more: false })
  })

  it("a state that is heard late takes no list away for good", () => {
    const waiting = makeHubWaiting({ phase: "connecting", since: 0 })
    waiting.hear({ kind: "open" })
    waiting.hear({ kind: "state", state: { phase: "connecting", since: 1 } })
    const generation = generationOf(waiting.hear({ kind: "state", state: connected }))
    waiting.hear({ kind: "listed", generation, rows: [row("apr_1")], more: false })
    assert.strictEqual(waiting.view().standing, "current")
  })

  it("signed out, nothing of it stays", () => {
    const { waiting } = withList("apr_1")
    waiting.hear({ kind: "state", state: { phase: "signed_out", since: 1, cause: "nobody" } })
    assert.deepStrictEqual([waiting.view().standing, waiting.view().rows], ["unknown", []])
  })

  it("a storm is listed, not read row by row, and what is held is bounded", () => {
    const { waiting } = withList()
    const wants = Array.from({ length: 60 }, (_, at) => waiting.hear(event("approval.created", `apr_${at}`))).flat()
    assert.deepStrictEqual(wants.map(({ kind }) => kind).filter((kind) => kind === "list").length > 0, true)
    assert.isBelow(wants.filter(({ kind }) => kind === "read").length, 60)
    const { generation } = wants.findLast(({ kind }) => kind === "list")!
    waiting.hear({
      kind: "listed",
      generation,
      rows: Array.from({ length: rowsMax + 5 }, (_, at) => row(`apr_${at}`)),
      more: false
    })
    assert.deepStrictEqual([waiting.view().rows.length, waiting.view().more], [rowsMax, true])
  })
})

/**
 * A hub of which only this is known: an approval is pending until it is decided, for ever. Lists and rows say what is so when
 * they are answered, and are heard later; events are heard in their order; a loss drops what is under way.
 */
const play = (seed: number): string => {
  const chance = chanceOf(seed)
  const waiting = makeHubWaiting({ phase: "connecting", since: 0 })
  const pending = new Set<string>()
  const everDecided = new Set<string>()
  let made = 0
  /** Told by the hub, not heard yet. */
  let stream: Array<ReturnType<typeof event>> = []
  let states: Array<HubState> = []
  let wants: Array<Want> = []
  let answers: Array<() => ReadonlyArray<Want>> = []
  let open = false
  /** Decisions that the model was told of: by an event, or by a list or row that was answered after them. */
  const said: Array<string> = [`seed ${seed}`]
  const tell = (each: ReturnType<typeof event>) => {
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
        waiting.hear(
          fails
            ? { kind: "list_failed", generation: want.generation, code: "internal_error" }
            : { kind: "listed", generation: want.generation, rows, more: false }
        )
      )
    } else {
      const found = pending.has(want.id) ? row(want.id) : undefined
      answers.push(() =>
        waiting.hear(
          fails
            ? { kind: "read_failed", generation: want.generation, id: want.id }
            : { kind: "read", generation: want.generation, id: want.id, row: found }
        )
      )
    }
  }
  const hearAnswer = () => {
    const heard = answers.splice(chance.int(answers.length), 1)[0]
    if (heard !== undefined) follow(heard())
  }
  const hearEvent = () => {
    const next = stream.shift()
    if (next !== undefined) follow(waiting.hear(next))
  }
  const hearState = () => {
    const next = states.shift()
    if (next !== undefined) follow(waiting.hear({ kind: "state", state: next }))
  }
  const connect = () => {
    if (open) return
    open = true
    stream = []
    states.push({ phase: "connecting", since: 0 }, connected)
    follow(waiting.hear({ kind: "open" }))
  }
  const lose = () => {
    if (!open) return
    open = false
    stream = []
    states.push(offline)
    if (chance.int(2) === 0) answers = []
  }
  const acts: ReadonlyArray<readonly [string, () => void]> = [
    ["make", () => {
      const id = `apr_${made++}`
      pending.add(id)
      tell(event("approval.created", id))
    }],
    ["make", () => {
      const id = `apr_${made++}`
      pending.add(id)
      tell(event("approval.created", id))
    }],
    ["update", () => {
      if (pending.size > 0) tell(event("approval.updated", chance.one([...pending])))
    }],
    ["decide", () => {
      if (pending.size === 0) return
      const id = chance.one([...pending])
      pending.delete(id)
      everDecided.add(id)
      tell(event(chance.one(["approval.decided", "approval.expired"]), id))
    }],
    ["connect", connect],
    ["lose", () => {
      if (chance.int(4) === 0) lose()
    }],
    ["reset", () => {
      if (open && chance.int(4) === 0) {
        stream = []
        follow(waiting.hear({ kind: "reset" }))
      }
    }],
    ["answer", answer],
    ["answer", answer],
    ["hear an answer", hearAnswer],
    ["hear an answer", hearAnswer],
    ["hear an event", hearEvent],
    ["hear an event", hearEvent],
    ["hear a state", hearState]
  ]
  for (let step = 0; step < 150; step++) {
    const [name, act] = chance.one(acts)
    const before = new Set(ids(waiting.view().rows))
    act()
    said.push(name)
    for (const id of ids(waiting.view().rows)) {
      // Once it left because the hub said so, only a list or row answered while it was pending could bring it back: it never does.
      if (!before.has(id) && everDecided.has(id) && name === "hear an event") {
        assert.fail(`${id} came back by an event: ${said.join(", ")}`)
      }
    }
    // Nothing leaves that still waits, unless it was never told.
    if (name === "hear an event" || name === "make" || name === "decide") {
      for (const id of before) {
        if (!ids(waiting.view().rows).includes(id) && pending.has(id)) {
          assert.fail(`${id} left though it waits: ${said.join(", ")}`)
        }
      }
    }
  }
  // Let everything arrive: then what is shown is what waits.
  connect()
  for (let rounds = 0; wants.length + answers.length + stream.length + states.length > 0; rounds++) {
    if (rounds > 2_000) assert.fail(`never settles: ${said.join(", ")}`)
    hearState()
    hearEvent()
    answer()
    hearAnswer()
  }
  assert.strictEqual(waiting.view().standing, "current", said.join(", "))
  assert.sameMembers(ids(waiting.view().rows), [...pending], said.join(", "))
  return said.join()
}

describe("in any order", () => {
  it("what is shown at the end is what waits, and nothing that was decided comes back", () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 800; seed++) seen.add(play(seed))
    assert.lengthOf([...seen], 800)
  })
})
