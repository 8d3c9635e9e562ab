/** An example family of agents with delegated tasks, created over HTTP as agents and a person do it. */
import type { Ask } from "./example-fleet.ts"

export interface ExampleFamily {
  /** The root, with skills and memories. */
  readonly agent: string
  /** A task in progress. */
  readonly task: string
}

const echo = { service: "echo", operations: ["*"] }

export const makeExampleFamily = async (ask: Ask): Promise<ExampleFamily> => {
  const root = await ask("POST", "/agents", {
    body: { name: "Planner", description: "Plans the research of the week.", monthly_budget_cents: 20_000 }
  })
  await ask("POST", `/agents/${root.id}/services`, { body: echo })
  const spawn = (key: string, name: string, cents: number, more: object = {}) =>
    ask("POST", "/agents/spawn", { key, body: { name, services: [echo], monthly_budget_cents: cents, ...more } })
  const researcher = await spawn(root.api_key, "Researcher", 6_000)
  const reader = await spawn(researcher.api_key, "Reader", 1_500, { ttl_seconds: 86_400 })
  const translator = await spawn(researcher.api_key, "Translator", 1_000)
  const writer = await spawn(root.api_key, "Writer", 3_000)
  await ask("PATCH", `/agents/${translator.id}`, { body: { status: "paused" } })
  const delegate = (goal: string, cents: number, more: object = {}) =>
    ask("POST", `/agents/${root.id}/delegated-tasks`, {
      key: root.api_key,
      body: { to_agent_id: researcher.id, goal, budget_cents: cents, services: ["echo"], ...more }
    })
  const report = (task: { readonly id: string }, body: object) =>
    ask("PATCH", `/agents/${researcher.id}/delegated-tasks/${task.id}`, { key: researcher.api_key, body })
  const spend = async (key: string, times: number, headers: Readonly<Record<string, string>> = {}) => {
    for (let at = 0; at < times; at++) {
      await ask("POST", "/service-requests", {
        key,
        headers,
        body: { service: "echo", operation: "say", payload: { text: `Page ${String(at + 1)}` } }
      })
    }
  }
  await report(await delegate("Book a meeting room for Thursday.", 200), {
    status: "failed",
    error: { code: "no_room", message: "Every room is taken on Thursday." }
  })
  const done = await delegate("List the prices of last year.", 300)
  await spend(researcher.api_key, 4, { "x-delegated-task": done.id })
  await report(done, { status: "completed", result: { prices: 12 } })
  const task = await delegate(
    "Find three suppliers, and compare their prices, delivery times, and terms of payment.",
    900,
    {
      input: { region: "EU", at_most: 3, products: ["paper", "ink"] },
      deadline_at: "2999-01-01T00:00:00.000Z"
    }
  )
  await report(task, { status: "in_progress" })
  await spend(researcher.api_key, 6, { "x-delegated-task": task.id })
  for (const { api_key: key } of [researcher, reader, writer]) await spend(key, 3)
  await ask("POST", `/agents/${root.id}/skill-proposals`, {
    key: root.api_key,
    body: {
      name: "Compare prices",
      description: "Compares the offers of suppliers.",
      instructions: "Ask three suppliers, then compare their prices.",
      operations: ["echo.say"]
    }
  })
  const remember = (body: object) => ask("POST", `/agents/${root.id}/memories`, { key: root.api_key, body })
  const paper = await remember({
    kind: "fact",
    content: "Our paper supplier delivers on Tuesdays, and needs two days of notice.",
    tags: ["suppliers", "paper"],
    importance: 0.9
  })
  await remember({
    kind: "preference",
    content: "Lea prefers suppliers that accept payment after 30 days.",
    tags: ["suppliers", "payment"],
    importance: 0.7,
    links: [paper.id]
  })
  await remember({
    kind: "event",
    content: "The ink of the last order arrived four days late.",
    tags: ["suppliers", "ink"],
    importance: 0.4
  })
  await remember({
    kind: "skill",
    content: "To compare offers, convert all prices to euros per sheet first.",
    tags: ["prices"],
    importance: 0.8
  })
  await remember({
    kind: "event",
    content: "The fair in March needs printed flyers.",
    tags: ["paper"],
    importance: 0.2,
    expires_at: "2999-03-31T23:59:59Z"
  })
  return { agent: root.id, task: task.id }
}
