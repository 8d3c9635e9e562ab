/** `/docs`: the pages of documentation, and the endpoints of the contract, without scripts. */
import { HubApi } from "@countersign/domain/api"
import { endpointsOf } from "@countersign/domain/openapi"
import { operationSummaries } from "@countersign/domain/summaries"
import { documentPage } from "./document-page.ts"

const pages = [
  { href: "/docs/api", title: "API reference", text: "Every endpoint with its fields, errors, and examples (3 MB)." },
  { href: "/docs/guide", title: "Guide", text: "An operator's tasks in the console." },
  { href: "/docs/declaring-services", title: "Declaring services", text: "How a workspace adds its own services." },
  { href: "/api/v1/openapi.json", title: "OpenAPI document", text: "The API for tools and generated clients." },
  { href: "/api/v1/agent-docs", title: "Agent documentation", text: "The rules of the API for agents, as JSON." }
]

const wants: Readonly<Record<string, string>> = {
  agent: "agent key",
  user: "session or token",
  session: "session",
  any: "agent key, session, or token",
  device: "device key, session, or token",
  public: "none"
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const titleOf = (group: string): string => group.charAt(0).toUpperCase() + group.slice(1).replaceAll("_", " ")

/** Built once, when the hub starts. */
export const makeIndexPage = () => {
  const groups = Map.groupBy(endpointsOf(HubApi), ({ id }) => id.slice(0, id.indexOf(".")))
  const rows = (group: string) =>
    (groups.get(group) ?? []).map(({ access, id, method, path, permission }) =>
      `<tr><td>${method}</td><td><code>${escape(path)}</code></td><td>${escape(operationSummaries[id] ?? "")}</td>` +
      `<td>${wants[access] ?? access}${permission === undefined ? "" : `, <code>${permission}</code>`}</td></tr>`
    ).join("\n")
  const sections = [...groups.keys()].map((group) =>
    `<h2 id="${group}">${titleOf(group)}</h2>\n<table><tr><th>Method</th><th>Path</th><th>Purpose</th>` +
    `<th>Credential</th></tr>\n${rows(group)}</table>`
  )
  return documentPage(
    "Documentation",
    `<h1>Documentation</h1>\n<ul>\n${
      pages.map(({ href, text, title }) => `<li><a href="${href}">${title}</a>: ${text}</li>`).join("\n")
    }\n</ul>\n<p>Bodies are JSON. A POST that moves money takes the header <code>idempotency-key</code>: the same key ` +
      `never pays twice. Every answer has the header <code>x-request-id</code>.</p>\n${sections.join("\n")}`
  )
}
