import type { HubClient } from "@countersign/hub-client/client"
import { HubError } from "@countersign/hub-client/error"
import { makeCallHealth } from "@countersign/ui/live/call-health"
import { currentConnection, setOutageOfCalls } from "@countersign/ui/live/connection"
import { afterEach, expect, test } from "vitest"

afterEach(() => setOutageOfCalls(undefined))

const noAnswer = () => new HubError({ status: 0, code: "network_error", message: "No answer." })

/** Every call waits for its answer, in the order of the calls. */
const heldHub = () => {
  const sent: Array<{ readonly endpoint: string; readonly answer: () => void; readonly fail: () => void }> = []
  const call = (endpoint: string) =>
    new Promise<unknown>((resolve, reject) => {
      sent.push({ endpoint, answer: () => resolve({}), fail: () => reject(noAnswer()) })
    })
  const { hub } = makeCallHealth({ call } as unknown as HubClient)
  return {
    sent,
    /** The name of the last call. */
    last: () => sent.at(-1)?.endpoint,
    read: () => hub.call("agents.list", {}).then(() => "answered", () => "failed")
  }
}

test("a call that fails during a check that succeeds is followed by another check, which reports the outage", async () => {
  const { last, read, sent } = heldHub()
  const first = read()
  sent[0]?.fail()
  expect(await first).toBe("failed")
  expect(last()).toBe("auth.me")
  const second = read()
  sent[2]?.fail()
  expect(await second).toBe("failed")
  expect(sent.length, "one check at a time").toBe(3)
  sent[1]?.answer()
  await expect.poll(() => sent.length).toBe(4)
  expect(last()).toBe("auth.me")
  expect(currentConnection().phase).not.toBe("offline")
  sent[3]?.fail()
  await expect.poll(() => currentConnection().phase).toBe("offline")
})

test("a check that succeeds ends there, if no call failed meanwhile", async () => {
  const { read, sent } = heldHub()
  const first = read()
  sent[0]?.fail()
  expect(await first).toBe("failed")
  sent[1]?.answer()
  const second = read()
  sent[2]?.answer()
  expect(await second).toBe("answered")
  expect(sent.map(({ endpoint }) => endpoint)).toEqual(["agents.list", "auth.me", "agents.list"])
})
