/**
 * `/docs/guide`: the operator's tasks in the console, on one page without scripts. The console links to its sections.
 */
import { documentPage } from "./document-page.ts"

interface Section {
  readonly id: string
  readonly title: string
  readonly paragraphs: ReadonlyArray<string>
}

const sections: ReadonlyArray<Section> = [
  {
    id: "approvals",
    title: "Approvals",
    paragraphs: [
      "A request needs approval if it costs more than its approval threshold, or if a policy rule requires approval. It is pending until a person approves or rejects it, its agent cancels it, or it expires. Nothing is executed or charged before approval.",
      "The seal beside a payload is computed from the payload. You approve exactly the payload that you see: if it changes, the approval fails.",
      "An approved request passes the policy and budget checks again before it is executed. A standing approval approves similar requests of one agent up to a cost, a number of uses, and a date. You can revoke it at any time."
    ]
  },
  {
    id: "budgets",
    title: "Budgets",
    paragraphs: [
      "An agent can have a monthly budget. Each operation that it can use can have a monthly cap and a daily request limit. The strictest limit applies. A request that would exceed a limit by one cent is blocked.",
      "The cost of a pending or running request is held, so that two requests cannot spend the same money. Months and days are UTC. Monthly budgets reset on the first day of the month.",
      "A badge and a notification appear when a budget reaches an alert level. You set the levels in the workspace settings."
    ]
  },
  {
    id: "bindings",
    title: "Access to services",
    paragraphs: [
      "An agent can use only the services and operations that you connect to it. Any other request is blocked with the code policy_violation.",
      "Each connection has its own limits: a monthly cap, a daily request limit, and an approval threshold. They apply to each operation separately, and can differ by operation; there is no sum over operations. If none is set, the workspace's threshold applies."
    ]
  },
  {
    id: "rules",
    title: "Policy rules",
    paragraphs: [
      "A policy rule has a condition and an action: allow, block, or require approval. Rules are evaluated in their order, and the first one whose condition is true decides.",
      "Conditions are written in CEL, the Common Expression Language, over the service, the operation, the payload, the agent, and the cost. Test a rule with a sample request and replay it over past requests before you enable it."
    ]
  },
  {
    id: "services",
    title: "Services",
    paragraphs: [
      "A service is an API that the hub calls for agents. The hub adds the credentials, so that agents never have them. Each operation has a price, a payload schema, and an HTTP request.",
      "Declare a service by hand or import an OpenAPI document. The page \"Declaring services\" describes every field, with examples that run. Store its credentials as secrets. Requests with an agent's test key go to a mock, cost nothing, and never reach the provider."
    ]
  },
  {
    id: "devices",
    title: "Devices",
    paragraphs: [
      "A device is a computer that runs commands for agents. Its owner chooses the tools and directories that it offers, and its own rules apply in addition to the hub's.",
      "A command shows the program that it runs and the file that the program resolves to. Its output is streamed and kept for the period in the workspace settings."
    ]
  }
]

export const guidePage = documentPage(
  "Guide",
  `<h1>Guide for operators</h1>
<p>The <a href="/docs">API reference</a> and <a href="/docs/declaring-services">Declaring services</a> have separate pages.</p>
<ul>${sections.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join("")}</ul>
${
    sections.map(({ id, paragraphs, title }) =>
      `<h2 id="${id}">${title}</h2>\n${paragraphs.map((text) => `<p>${text}</p>`).join("\n")}`
    ).join("\n")
  }`
)
