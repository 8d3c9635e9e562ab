/**
 * Every route of the console, read from the router in the page, so that new screens are covered without a change here.
 * A route with a parameter needs an example, taken from a workspace with some of everything.
 */
import type { Page } from "@playwright/test"
import { expect, type PersonApi } from "./console.ts"
import { makeExampleFiles } from "./example-files.ts"
import { makeExamplePublications } from "./example-publications.ts"
import type { Upstream } from "./upstream.ts"

/** The path segment before a parameter, and an example of the parameter. */
export type Examples = Readonly<Record<string, string>>

export interface ExampleWorkspace {
  readonly workspace: string
  readonly examples: Examples
}

/** A device with a heartbeat, a failed command, and a queued command; and the code of a pending pairing. */
const makeExampleDevice = async (api: PersonApi): Promise<Examples> => {
  const machine = {
    name: "build-1",
    platform: "linux",
    arch: "x64",
    app_version: "0.2.0",
    capabilities: ["shell.run", "fs.read", "system.info"]
  }
  const { id } = await api.call("POST", "/devices", 201, machine)
  await api.call("PATCH", `/devices/${id}`, 200, { granted: ["shell.run", "system.info"], labels: ["gpu"] })
  const load = { processors: 8, busy: 1.5, memory_bytes: 8_000_000_000, memory_used_bytes: 3_000_000_000 }
  const { session_id: session } = await api.call("POST", `/devices/${id}/heartbeat`, 200, {
    status: "online",
    roots: ["/srv/work"],
    load
  })
  const queue = () =>
    api.call("POST", `/devices/sessions/${session}/commands`, 201, {
      tool: "shell.run",
      input: { argv: ["make", "--jobs=4", "a target with a rather long name that does not end so soon"] },
      reason: "The nightly build"
    })
  const { id: cancelled } = await queue()
  await api.call("POST", `/devices/commands/${cancelled}/cancel`, 200)
  const { id: command } = await queue()
  // The limit is five a minute per address; beyond it the screen shows the same as for a wrong code.
  const code = await api.call("POST", "/devices/pair", 201, { ...machine, name: "studio-2" }).then(
    (started) => started.code,
    () => "0000-0000"
  )
  return { devices: id, commands: command, pair: code }
}

/**
 * A workspace with money, agents, services, requests of every status, a pending approval, a standing approval, a
 * policy, memories, a secret, an app, a token, a team with a pool, an invite, publications, a family with a delegated
 * task, files, a collection, workflows with a run, a schedule, a trigger, a
 * webhook endpoint, and a device.
 */
export const makeExampleWorkspace = async (api: PersonApi, upstream: Upstream): Promise<ExampleWorkspace> => {
  const { agent, approvals, service } = await api.waiting(upstream, 4)
  await api.policy({
    name: "Refunds wait",
    when: "service == \"refunds\"",
    then: "require_approval",
    reason: "A refund is looked at first."
  })
  await api.call("PUT", "/secrets/brave_search", 201, { value: "a secret value" })
  await api.call("PUT", "/apps/providers/slack", 200, { client_id: "4242.1717", client_secret: "a client's secret" })
  await api.call("POST", "/apps", 201, { provider: "slack", name: "Team chat" })
  const invited = { email: "lea@example.com", role: "member" }
  await api.call("POST", `/orgs/${api.person.org}/invites`, 201, invited)
  await api.call("POST", "/tokens", 201, { name: "Nightly report", scopes: ["agents:read"] })
  const [first = "", second = "", third = ""] = approvals
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString()
  await api.call("POST", `/approvals/${first}/approve`, 200, {
    remember: {
      max_cost_cents: 100,
      max_uses: 3,
      expires_at: inAWeek
    }
  })
  await api.call("POST", `/approvals/${second}/reject`, 200, { comment: "Not this month." })
  const scout = await api.agent({ name: "Echo agent", monthly_budget_cents: 3 })
  const send = () =>
    api.send(scout, {
      service: "echo",
      operation: "say",
      payload: { text: "hello", nested: { list: [1, 2, 3] } }
    })
  const { id: request } = await send()
  // The cap blocks the last one.
  for (let more = 0; more < 3; more++) await send()
  await api.send(scout, { service: "search", operation: "web", payload: { query: "not bound" } })
  const reader = await api.spawn(scout, { name: "Reader", monthly_budget_cents: 0 })
  const { id: team } = await api.call("POST", "/teams", 201, { name: "Research" })
  await api.call("POST", `/teams/${team}/members`, 201, { user_id: api.person.id, role: "lead" })
  await api.call("POST", `/teams/${team}/budget`, 200, { amount_cents: 100, direction: "allocate" })
  const { id: task } = await api.call("POST", `/agents/${scout.id}/delegated-tasks`, 201, {
    to_agent_id: reader.id,
    goal: "Find three suppliers, and compare their prices.",
    input: { region: "EU" },
    budget_cents: 0,
    services: ["echo"]
  })
  await api.asAgent(agent, "POST", `/agents/${agent.id}/skill-proposals`, 201, {
    name: "Compare prices",
    instructions: "Ask three suppliers, then compare their prices.",
    operations: ["echo.say"]
  })
  const { id: conversation } = await api.asAgent(agent, "POST", `/agents/${agent.id}/conversations`, 201, {
    title: "Order 1042"
  })
  await api.asAgent(agent, "POST", `/agents/${agent.id}/conversations/${conversation}/messages`, 201, {
    role: "user",
    content: "Where is my order?"
  })
  const remember = (content: string, more: object = {}) =>
    api.asAgent(agent, "POST", `/agents/${agent.id}/memories`, 201, { content, kind: "fact", ...more })
  const { id: memory } = await remember("The customer likes aisle seats.", { tags: ["travel"] })
  await remember("The customer pays by card.", { links: [memory], importance: 0.9 })
  await makeExamplePublications((method, path, { body } = {}) =>
    api.call(method, path, method === "PATCH" ? 200 : 201, body)
  )
  const { last } = await makeExampleFiles(api.store)
  await api.call("DELETE", `/storage/objects/${last}`, 204)
  const { id: collection } = await api.call("POST", "/knowledge/collections", 201, { name: "Handbook" })
  const { data: [template] } = await api.call("GET", "/workflow-templates", 200)
  const { id: workflow } = await api.call("POST", "/workflows/from-template", 201, { template_id: template.id })
  await api.call("POST", `/workflows/${workflow}/agents`, 201, { agent_id: agent.id })
  const { id: slow } = await api.call("POST", "/workflows", 201, { name: "Wait a day" })
  const { id: version_id } = await api.call("POST", `/workflows/${slow}/versions`, 201, {
    steps: [{ label: "Wait", type: "delay", config: { seconds: 86_400 } }],
    edges: []
  })
  await api.call("POST", `/workflows/${slow}/agents`, 201, { agent_id: agent.id })
  const { run } = await api.call("POST", `/workflows/${slow}/runs`, 202, { version_id, mode: "test" })
  const action = { type: "service_request", service: "echo", operation: "say", payload: { text: "hello" } }
  const { id: schedule } = await api.call("POST", "/scheduled-tasks", 201, {
    name: "Every morning",
    agent_id: scout.id,
    cron: "0 9 * * MON-FRI",
    timezone: "Europe/Berlin",
    action
  })
  const { id: trigger } = await api.call("POST", "/triggers", 201, { kind: "webhook", agent_id: scout.id, action })
  const { id: webhook } = await api.call("POST", "/webhook-endpoints", 201, {
    url: `${upstream.origin}/hooks`,
    types: ["payment.updated"]
  })
  const { id: chat } = await api.call("POST", "/chat/sessions", 201, { model: "offline/echo" })
  await api.call("POST", "/chat/turn", 200, { session_id: chat, message: "#script\nthink One moment.\nsay Good day." })
  const policies = await api.call("GET", "/policies", 200)
  return {
    workspace: api.person.org,
    examples: {
      ...await makeExampleDevice(api),
      w: api.person.org,
      agents: agent.id,
      approvals: third,
      requests: request,
      tasks: task,
      teams: team,
      conversations: conversation,
      catalog: service,
      knowledge: collection,
      workflows: workflow,
      "workflow-runs": run.id,
      schedules: schedule,
      triggers: trigger,
      webhooks: webhook,
      chat,
      policies: policies.data[0].id
    }
  }
}

interface RoutedPage {
  readonly __TSR_ROUTER__?: {
    readonly routesByPath: Readonly<Record<string, unknown>>
    /** Resolves once the screen is rendered. */
    readonly navigate: (to: { readonly to: string }) => Promise<void>
  }
}

/** Full paths with their parameters, such as `/w/$workspace/agents/$id`. */
export const routesOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.goto("/sign-in")
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  const paths = await page.evaluate(() =>
    Object.keys((globalThis as unknown as RoutedPage).__TSR_ROUTER__?.routesByPath ?? {})
  )
  // A path with and without a trailing slash is one screen.
  const routes = [...new Set(paths.map((path) => path === "/" ? path : path.replace(/\/$/u, "")))].sort()
  expect(routes.length, "routes of the console").toBeGreaterThan(5)
  return routes
}

/** The address of a route in a workspace. Throws for a parameter without an example, with the fix in the message. */
export const addressOf = (route: string, { examples }: ExampleWorkspace): string => {
  // Without an error, this window closes itself.
  if (route === "/stepped-up") return `${route}?error=provider_error`
  const segments = route.split("/")
  return segments.map((segment, at) => {
    if (!segment.startsWith("$")) return segment
    const example = examples[segments[at - 1] ?? ""]
    if (example === undefined) {
      throw new Error(`${route} has no example of ${segment}: make one in makeExampleWorkspace`)
    }
    return example
  }).join("/")
}

/** Waits for the heading of the screen and the end of all first reads. */
export const settled = async (page: Page): Promise<void> => {
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible()
  const reading = "[role=status][aria-busy=true], [role=progressbar], [aria-label=Loading][role=status]"
  await expect(page.locator(reading)).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}

/** Also waits for the line of the standing approval, which is read separately. */
const settledIn = async (page: Page, route: string, { examples }: ExampleWorkspace): Promise<void> => {
  await settled(page)
  const hasStanding = route.startsWith("/w/") && examples["approvals"] !== undefined
  if (hasStanding) await expect(page.locator("[role=status] a[href$='/standing']").first()).toBeAttached()
}

/** Loads the screen by its address, as a link in an e-mail does. */
export const arrive = async (page: Page, route: string, example: ExampleWorkspace): Promise<void> => {
  await page.goto(addressOf(route, example))
  await settledIn(page, route, example)
}

/**
 * Navigates to the screen within the loaded console, as its own links do, at a fifth of the cost of a load. Screens
 * outside a workspace and the first screen of a workspace are loaded.
 */
export const visit = async (page: Page, route: string, example: ExampleWorkspace): Promise<void> => {
  if (!route.startsWith("/w/") || !new URL(page.url()).pathname.startsWith("/w/")) return arrive(page, route, example)
  await page.evaluate(
    (to) => (globalThis as unknown as RoutedPage).__TSR_ROUTER__?.navigate({ to }),
    addressOf(route, example)
  )
  await settledIn(page, route, example)
}
