import { makeHubClock } from "@countersign/hub-client/hub-clock"
import { expect, test } from "vitest"

const date = (millis: number) => new Date(millis).toUTCString()
const start = Date.UTC(2026, 10, 21, 12, 0, 0)

test("a computer an hour off shows the hub's time", () => {
  let own = start + 3_600_000
  const clock = makeHubClock(() => own)
  clock.observe(date(start), own - 20, own)
  expect(Math.abs(clock.now() - start)).toBeLessThanOrEqual(1_000)
  own += 60_000
  expect(Math.abs(clock.now() - start - 60_000)).toBeLessThanOrEqual(1_000)
})

test("a correct clock is left alone, wherever answers fall within a second", () => {
  const clock = makeHubClock(() => start + 999)
  clock.observe(date(start), start + 990, start + 999)
  expect(clock.now()).toBe(start + 999)
})

test("the fastest answer counts until it is old", () => {
  let own = start
  const clock = makeHubClock(() => own)
  clock.observe(date(start + 10_000), own - 10, own)
  const found = clock.now()
  clock.observe(date(start + 20_000), own - 5_000, own)
  expect(clock.now()).toBe(found)
  own += 700_000
  clock.observe(date(own + 20_000), own - 5_000, own)
  expect(clock.now() - own).toBeGreaterThan(19_000)
})

test("an answer without a valid date changes nothing", () => {
  const clock = makeHubClock(() => start)
  clock.observe(null, start, start)
  clock.observe("yesterday", start, start)
  expect(clock.now()).toBe(start)
})
