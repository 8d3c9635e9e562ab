/**
 * Every route of the console, told by the router that runs in the page: a screen is walked from the day that it appears. A route
 * with a
 * parameter needs an example of what it shows, from a workspace with a little of everything in it.
 */
import type { Page } from "@playwright/test"
import { type Desk, expect } from "./console.ts"
import type { Upstream } from "./upstream.ts"

/** What stands before a parameter in an address, and an example of it. */
export type Examples = Readonly<Record<string, string>>

export interface World {
  readonly workspace: string
  readonly examples: Examples
}

/** A device that was heard, that failed at one command and is queued another; the code of one that asks to be let in. */
const aDevice = async (desk: Desk): Promise<Examples> => {
  const machine = {
    name: "build-1",
    platform: "linux",
    arch: "x64",
    app_version: "0.2.0",
    capabilities: ["shell.run", "fs.read", "system.info"]
  }
  const { id } = await desk.call("POST", "/devices", 201, machine)
  await desk.call("PATCH", `/devices/${id}`, 200, { granted: ["shell.run", "system.info"], labels: ["gpu"] })
  const load = { processors: 8, busy: 1.5, memory_bytes: 8_000_000_000, memory_used_bytes: 3_000_000_000 }
  const { session_id: session } = await desk.call("POST", `/devices/${id}/heartbeat`, 200, {
    status: "online",
    roots: ["/srv/work"],
    load
  })
  const queue = () =>
    desk.call("POST", `/devices/sessions/${session}/commands`, 201, {
      tool: "shell.run",
      input: { argv: ["make", "--jobs=4", "a target with a rather long name that does not end so soon"] },
      reason: "The nightly build"
    })
  const { id: cancelled } = await queue()
  await desk.call("POST", `/devices/commands/${cancelled}/cancel`, 200)
  const { id: command } = await queue()
  // Five a minute from one address: beyond that the screen shows what a wrong code leads to.
  const code = await desk.call("POST", "/devices/pair", 201, { ...machine, name: "studio-2" }).then(
    (started) => started.code,
    () => "0000-0000"
  )
  return { devices: id, commands: command, pair: code }
}

/** Money, agents, services, requests of every status, a waiting approval, a standing one, a policy, a secret, a token, a device. */
export const littleOfEverything = async (desk: Desk, upstream: Upstream): Promise<World> => {
  const { agent, approvals, service } = await desk.waiting(upstream, 4)
  await desk.policy({
    name: "Refunds wait",
    when: "service == \"refunds\"",
    then: "require_approval",
    reason: "A refund is looked at first."
  })
  await desk.call("PUT", "/secrets/brave_search", 201, { value: "a secret value" })
  await desk.call("POST", "/tokens", 201, { name: "Nightly report", scopes: ["agents:read"] })
  const [first = "", second = "", third = ""] = approvals
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString()
  await desk.call("POST", `/approvals/${first}/approve`, 200, {
    remember: {
      max_cost_cents: 100,
      max_uses: 3,
      expires_at: inAWeek
    }
  })
  await desk.call("POST", `/approvals/${second}/reject`, 200, { comment: "Not this month." })
  const scout = await desk.agent({ name: "Echo agent", monthly_budget_cents: 3 })
  const say = () =>
    desk.send(scout, {
      service: "echo",
      operation: "say",
      payload: { text: "hello", nested: { list: [1, 2, 3] } }
    })
  const { id: request } = await say()
  // The cap stops the last.
  for (let more = 0; more < 3; more++) await say()
  await desk.send(scout, { service: "search", operation: "web", payload: { query: "not bound" } })
  const policies = await desk.call("GET", "/policies", 200)
  return {
    workspace: desk.person.org,
    examples: {
      ...await aDevice(desk),
      w: desk.person.org,
      agents: agent.id,
      approvals: third,
      requests: request,
      catalog: service,
      policies: policies.data[0].id
    }
  }
}

interface RoutedPage {
  readonly __TSR_ROUTER__?: { readonly routesByPath: Readonly<Record<string, unknown>> }
}

/** Full paths with their parameters: `/w/$workspace/agents/$id`. */
export const routesOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.goto("/sign-in")
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  const paths = await page.evaluate(() =>
    Object.keys((globalThis as unknown as RoutedPage).__TSR_ROUTER__?.routesByPath ?? {})
  )
  // A path and the same with a slash at its end are one screen.
  const routes = [...new Set(paths.map((path) => path === "/" ? path : path.replace(/\/$/u, "")))].sort()
  expect(routes.length, "routes of the console").toBeGreaterThan(5)
  return routes
}

/** The address of a route in a world. A parameter without an example ends the test with what to do. */
export const addressOf = (route: string, { examples }: World): string => {
  const segments = route.split("/")
  return segments.map((segment, at) => {
    if (!segment.startsWith("$")) return segment
    const example = examples[segments[at - 1] ?? ""]
    if (example === undefined) throw new Error(`${route} has no example of ${segment}: make one in littleOfEverything`)
    return example
  }).join("/")
}

/** The screen is there: its heading, and nothing that is still read for the first time. */
export const settled = async (page: Page): Promise<void> => {
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible()
  const reading = "[role=status][aria-busy=true], [role=progressbar], [aria-label=Loading][role=status]"
  await expect(page.locator(reading)).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}

export const arrive = async (page: Page, route: string, world: World): Promise<void> => {
  await page.goto(addressOf(route, world))
  await settled(page)
  // The line of the standing approval, which is read beside the screen.
  const hasStanding = route.startsWith("/w/") && world.examples["approvals"] !== undefined
  if (hasStanding) await expect(page.locator("[role=status] a[href$='/standing']").first()).toBeAttached()
}
