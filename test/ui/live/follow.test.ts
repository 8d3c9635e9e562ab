import type { HubEvent } from "@countersign/domain/events"
import { eventTypes } from "@countersign/domain/events"
import type { HubClient } from "@countersign/hub-client/client"
import { makeQueryClient } from "@countersign/ui/hub/query-client"
import { hubPages, hubQuery, rowsOf } from "@countersign/ui/hub/query-options"
import { arrivals, clearWhatIsRead } from "@countersign/ui/live/arrivals"
import { follow, reachOf, rowsOneByOneMax } from "@countersign/ui/live/follow"
import { holds, withRow } from "@countersign/ui/live/list-rows"
import { InfiniteQueryObserver, QueryObserver } from "@tanstack/react-query"
import { afterEach, describe, expect, test } from "vitest"

const ended: Array<() => void> = []
afterEach(() => {
  for (const end of ended.splice(0)) end()
  arrivals.clear("service_requests.list", null)
  arrivals.clear("audit.list", null)
  arrivals.clear("agents.list", null)
})

interface Row {
  readonly id: string
  readonly status: string
}

/** A console over a hub with two pages of requests, whose calls are recorded. */
const console_ = () => {
  const rows: Array<Row> = [{ id: "req_3", status: "running" }, { id: "req_2", status: "running" }, {
    id: "req_1",
    status: "running"
  }]
  const calls: Array<string> = []
  const hub = {
    call: (
      endpoint: string,
      input: { readonly params?: { readonly id: string }; readonly query?: { readonly cursor?: string } }
    ) => {
      calls.push(
        input.params === undefined ? `${endpoint}${input.query?.cursor ?? ""}` : `${endpoint} ${input.params.id}`
      )
      if (endpoint === "service_requests.get") {
        const row = rows.find(({ id }) => id === input.params?.id)
        return row === undefined ? Promise.reject(new Error("not found")) : Promise.resolve({ ...row })
      }
      if (endpoint === "service_requests.list") {
        const from = Number(input.query?.cursor ?? "0")
        return Promise.resolve({
          data: rows.slice(from, from + 2).map((row) => ({ ...row })),
          next_cursor: from + 2 < rows.length ? String(from + 2) : null,
          as_of: "x"
        })
      }
      return Promise.resolve({ data: [], next_cursor: null, as_of: "x" })
    }
  } as unknown as HubClient
  const queries = makeQueryClient({ hub, onSignedOut: () => {} })
  ended.push(clearWhatIsRead(queries), () => queries.clear())
  const list = new InfiniteQueryObserver(queries, hubPages("service_requests.list", "org_1", { query: {} }))
  ended.push(list.subscribe(() => {}))
  const shown = () => rowsOf(list.getCurrentResult().data) as unknown as ReadonlyArray<Row>
  const receive = (...events: ReadonlyArray<HubEvent>) => follow({ queries, arrivals, touchSoon: () => {} }, events)
  return { rows, calls, queries, list, shown, receive }
}
const updated = (id: string, version = 9, workspace = "org_1"): HubEvent => ({
  id: `evt_${id}_${version}`,
  type: "service_request.updated",
  subject: { type: "service_request", id },
  version,
  workspace
})
const until = async (is: () => boolean) => {
  for (let tried = 0; !is(); tried++) {
    if (tried > 1_000) throw new Error("It never came to be.")
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe("an event about a loaded row", () => {
  test("replaces the row in place with one small read", async () => {
    const c = console_()
    await until(() => c.shown().length === 2)
    await c.list.fetchNextPage()
    c.calls.length = 0
    c.rows[1] = { id: "req_2", status: "executed" }
    await c.receive(updated("req_2"))
    expect(c.shown().map(({ id, status }) => `${id} ${status}`)).toEqual([
      "req_3 running",
      "req_2 executed",
      "req_1 running"
    ])
    expect(c.calls).toEqual(["service_requests.get req_2"])
    expect(arrivals.count("service_requests.list", "org_1")).toBe(0)
  })

  test("reads the object once for list and detail", async () => {
    const c = console_()
    await until(() => c.shown().length === 2)
    const detail = new QueryObserver(c.queries, hubQuery("service_requests.get", "org_1", { params: { id: "req_3" } }))
    ended.push(detail.subscribe(() => {}))
    await until(() => detail.getCurrentResult().isSuccess)
    c.calls.length = 0
    c.rows[0] = { id: "req_3", status: "failed" }
    await c.receive(updated("req_3"))
    expect(detail.getCurrentResult().data).toMatchObject({ status: "failed" })
    expect(c.shown()[0]).toMatchObject({ status: "failed" })
    expect(c.calls).toEqual(["service_requests.get req_3"])
  })

  test("does not affect another workspace", async () => {
    const c = console_()
    await until(() => c.shown().length === 2)
    c.calls.length = 0
    await c.receive(updated("req_3", 9, "org_2"))
    expect(c.calls).toEqual([])
  })

  test("refetches the list if the object no longer exists", async () => {
    const c = console_()
    await until(() => c.shown().length === 2)
    c.rows.shift()
    await c.receive(updated("req_3"))
    expect(c.shown().map(({ id }) => id)).toEqual(["req_2", "req_1"])
  })

  test("refetches the whole list once among very many others", async () => {
    const c = console_()
    await until(() => c.shown().length === 2)
    c.calls.length = 0
    await c.receive(...Array.from({ length: rowsOneByOneMax + 1 }, (_, at) => updated(`req_x${at}`)))
    expect(c.calls).toEqual(["service_requests.list"])
  })
})

describe("an event about a row that is not loaded", () => {
  test("is counted once for each row and moves nothing", async () => {
    const c = console_()
    await until(() => c.shown().length === 2)
    c.calls.length = 0
    c.rows.unshift({ id: "req_4", status: "running" })
    await c.receive(updated("req_4", 10))
    await c.receive(updated("req_4", 11))
    expect(c.shown().map(({ id }) => id)).toEqual(["req_3", "req_2"])
    expect(arrivals.count("service_requests.list", "org_1")).toBe(1)
    expect(c.calls).toEqual([])
  })

  test("is cleared when the list is read from its top", async () => {
    const c = console_()
    await until(() => c.shown().length === 2)
    c.rows.unshift({ id: "req_4", status: "running" })
    await c.receive(updated("req_4"))
    await c.queries.invalidateQueries()
    expect(c.shown()[0]?.id).toBe("req_4")
    expect(arrivals.count("service_requests.list", "org_1")).toBe(0)
  })

  test("stays counted after a read of an older page", async () => {
    const c = console_()
    await until(() => c.shown().length === 2)
    await c.receive(updated("req_4"))
    await c.list.fetchNextPage()
    expect(arrivals.count("service_requests.list", "org_1")).toBe(1)
  })
})

test("every type of event is handled", () => expect(Object.keys(reachOf).sort()).toEqual([...eventTypes].sort()))

test("replaces rows alike in a list of one page and of several", () => {
  const row = { id: "b", n: 2 }
  const flat = { data: [{ id: "a" }, { id: "b" }] }
  const pages = { pages: [{ data: [{ id: "a" }] }, { data: [{ id: "b" }] }], pageParams: [null, "x"] }
  expect([holds(flat, "b"), holds(pages, "b"), holds(flat, "c"), holds(undefined, "a")]).toEqual([
    true,
    true,
    false,
    false
  ])
  expect(withRow(flat, row)).toEqual({ data: [{ id: "a" }, row] })
  expect(withRow(pages, row)).toEqual({ pages: [{ data: [{ id: "a" }] }, { data: [row] }], pageParams: [null, "x"] })
})

describe("an event about an agent", () => {
  const agents = (c: ReturnType<typeof console_>, query: Readonly<Record<string, string>>, ...ids: Array<string>) => {
    const { queryKey } = hubPages("agents.list", "org_1", { query })
    c.queries.setQueryData<unknown>([...queryKey], {
      pages: [{ data: ids.map((id) => ({ id })), next_cursor: null, as_of: "x" }],
      pageParams: [null]
    })
  }
  const changed = (id: string): HubEvent => ({ ...updated(id), type: "agent.updated", subject: { type: "agent", id } })

  test("is no arrival for the levels of families that it does not belong to", async () => {
    const c = console_()
    agents(c, {}, "agt_root", "agt_child")
    agents(c, { parent_agent_id: "none" }, "agt_root")
    agents(c, { parent_agent_id: "agt_root" }, "agt_child")
    agents(c, { kind: "yupi" })
    await c.receive(changed("agt_root"), changed("agt_child"))
    expect(arrivals.count("agents.list", "org_1")).toBe(0)
    await c.receive(changed("agt_new"))
    expect(arrivals.of("agents.list").map(({ token }) => token)).toEqual(["agt_new"])
  })

  test("is an arrival for a tree alone if no level has it", async () => {
    const c = console_()
    agents(c, { parent_agent_id: "none" }, "agt_root")
    agents(c, { parent_agent_id: "agt_root" }, "agt_child")
    await c.receive(changed("agt_child"))
    expect(arrivals.count("agents.list", "org_1")).toBe(0)
    await c.receive(changed("agt_new"))
    expect(arrivals.count("agents.list", "org_1")).toBe(1)
  })
})
