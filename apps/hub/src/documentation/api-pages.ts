/** The API reference: one page that lists every endpoint, and one page for each group. Made from the OpenAPI document. */
import { HubApi } from "@countersign/domain/api"
import type { AccessKind } from "@countersign/domain/auth"
import { type EndpointFacts, endpointsOf } from "@countersign/domain/openapi"
import { groupDescriptions, operationSummaries } from "@countersign/domain/summaries"
import { escapeHtml } from "../platform/html.ts"
import {
  anchorOfSchema,
  exampleOf,
  fieldsHtml,
  type JsonSchema,
  limitsHtml,
  referenceName,
  referencesOf,
  typeHtml
} from "./api-schema.ts"
import { codeHtml } from "./highlight.ts"
import { inlineHtml } from "./inline.ts"
import { endpointAddress } from "./links.ts"
import type { Heading } from "./markdown.ts"
import type { SearchedSection } from "./search.ts"
import { tableHtml } from "./table.ts"

interface Operation {
  readonly operationId: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<JsonSchema>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: JsonSchema }>> }
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>> }
    >
  >
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, { readonly description: string }>>
  }
}

export interface ApiPage {
  readonly title: string
  readonly description: string
  readonly content: string
  readonly headings: ReadonlyArray<Heading>
}

const credentials: Readonly<Record<AccessKind, string>> = {
  agent: "agent key",
  user: "session or token",
  session: "session",
  any: "agent key, session, or token",
  device: "device key, session, or token",
  public: "none"
}

export const groupTitle = (group: string): string => {
  const text = group.replaceAll("_", " ")
  const words = { mcp: "MCP", oidc: "OIDC" } as Readonly<Record<string, string>>
  return (text.charAt(0).toUpperCase() + text.slice(1)).replace(
    /^(mcp|oidc)\b/iu,
    (word) => words[word.toLowerCase()] ?? word
  )
}

const groupOf = ({ id }: EndpointFacts): string => id.slice(0, id.indexOf("."))
const nameOf = ({ id }: EndpointFacts): string => id.slice(id.indexOf(".") + 1)
const summaryOf = ({ id }: EndpointFacts): string => operationSummaries[id] ?? id

/** Every group with its endpoints, in the order of the contract. */
export const apiGroups = (): ReadonlyMap<string, ReadonlyArray<EndpointFacts>> =>
  Map.groupBy(endpointsOf(HubApi), groupOf)

const methodHtml = (method: string): string => `<span class="method ${method.toLowerCase()}">${method}</span>`

const credentialHtml = ({ access, checks, permission, refusesTokens }: EndpointFacts): string =>
  `${checks ?? credentials[access]}${refusesTokens === true ? ", no token" : ""}${
    permission === undefined ? "" : `, <a href="/docs/permissions"><code>${permission}</code></a>`
  }`

/** The page that lists every endpoint. */
export const apiIndexPage = (): ApiPage => {
  const groups = [...apiGroups()]
  const content = groups.map(([group, endpoints]) =>
    `<h2 id="${group}"><a class="anchor" href="/docs/api/${group}">${groupTitle(group)}</a></h2><p>${
      inlineHtml(groupDescriptions[group] ?? "")
    }</p>${
      tableHtml({
        label: groupTitle(group),
        className: "endpoints",
        rows: endpoints.map((each) =>
          `<tr><td>${methodHtml(each.method)}</td><td><a href="${endpointAddress(each.id)}"><code>${
            escapeHtml(each.path)
          }</code></a></td><td>${escapeHtml(summaryOf(each))}</td><td>${credentialHtml(each)}</td></tr>`
        )
      })
    }`
  ).join("\n")
  return {
    title: "API reference",
    description: "Every endpoint of this hub with its credential, fields, and errors.",
    content:
      "<h1 id=\"api-reference\">API reference</h1><p>Every endpoint of this hub. Bodies are JSON. A <code>POST</code> that spends or moves money takes " +
      "the header <code>idempotency-key</code>: a repeated call with the same key never pays twice. Every answer has the header <code>x-request-id</code>. " +
      "<a href=\"/docs/conventions\">Conventions</a> describes credentials, lists, limits, and errors. For programs there are " +
      "<a href=\"/api/v1/openapi.json\">the OpenAPI document</a>, the <a href=\"/docs/clients\">client libraries</a>, and the " +
      `<a href="/api/v1/agent-docs">documentation for agents</a>.</p>\n${content}`,
    headings: groups.map(([group]) => ({ level: 2, id: group, text: groupTitle(group) }))
  }
}

const bodyOf = (content: Readonly<Record<string, { readonly schema?: JsonSchema }>> | undefined) => {
  const [type, { schema } = {}] = Object.entries(content ?? {})[0] ?? []
  return type === undefined ? undefined : { type, schema: schema ?? {} }
}

const parametersHtml = (operation: Operation, document: Document, id: string): string => {
  const all = (operation.parameters ?? []).map((each) => {
    return document.components.parameters[referenceName(each) ?? ""] ?? each
    // Every endpoint takes these; the conventions describe them.
  }).filter(({ name }) => name !== "x-request-id" && name !== "svc-workspace")
  if (all.length === 0) return ""
  return `<h3>Parameters</h3>${
    tableHtml({
      label: `Parameters of ${id}`,
      className: "fields",
      head: "<th>Parameter</th><th>Type</th><th>Meaning</th>",
      rows: all.map((parameter) => {
        const schema = (parameter["schema"] ?? {}) as JsonSchema
        return `<tr><td><code>${escapeHtml(String(parameter["name"]))}</code> <span class="optional">${
          escapeHtml(String(parameter["in"]))
        }</span></td><td>${typeHtml(schema)}${limitsHtml(schema)}</td><td>${
          inlineHtml(typeof parameter["description"] === "string" ? parameter["description"] : "")
        }</td></tr>`
      })
    })
  }`
}

const exampleHtml = (each: EndpointFacts, operation: Operation, document: Document): string => {
  const body = bodyOf(operation.requestBody?.content)
  const lines = [
    `curl ${each.method === "GET" ? "" : `-X ${each.method} `}$HUB${each.path}`,
    ...each.checks === undefined && each.access === "public"
      ? []
      : [`  -H "authorization: Bearer $${each.access === "agent" || each.access === "any" ? "AGENT_KEY" : "TOKEN"}"`],
    ...body?.type === "application/json"
      ? [
        "  -H 'content-type: application/json'",
        `  -d '${
          JSON.stringify(exampleOf(body.schema, document.components.schemas), undefined, 2).replaceAll("\n", "\n  ")
        }'`
      ]
      : []
  ]
  return codeHtml("Example", lines.join(" \\\n"), "sh")
}

const responsesHtml = (operation: Operation, document: Document): string =>
  `<h3>Responses</h3><ul class="responses">${
    Object.entries(operation.responses).map(([status, response]) => {
      const shared = document.components.responses[referenceName(response) ?? ""]
      const body = bodyOf(response.content)
      const text = shared !== undefined
        ? inlineHtml(shared.description)
        : body === undefined
        ? "No content."
        : body.type === "application/json"
        ? typeHtml(body.schema)
        : `<code>${escapeHtml(body.type)}</code>`
      return `<li><code class="${Number(status) < 400 ? "good" : "bad"}">${status}</code> ${text}</li>`
    }).join("")
  }</ul>`

const operationAt = ({ method, path }: EndpointFacts, document: Document): Operation | undefined =>
  document.paths[path.replace(/:([A-Za-z]\w*)/gu, "{$1}")]?.[method.toLowerCase()]

const bodyHtml = ({ schema, type }: NonNullable<ReturnType<typeof bodyOf>>, id: string, document: Document): string => {
  if (type !== "application/json") return `<p><code>${escapeHtml(type)}</code></p>`
  const name = referenceName(schema)
  return fieldsHtml(name === undefined ? schema : document.components.schemas[name] ?? {}, `Body of ${id}`)
}

const endpointHtml = (each: EndpointFacts, document: Document): string => {
  const operation = operationAt(each, document)
  if (operation === undefined) return ""
  const body = bodyOf(operation.requestBody?.content)
  const name = nameOf(each)
  return `<section class="endpoint"><h2 id="${name}"><a class="anchor" href="#${name}">${
    escapeHtml(summaryOf(each))
  }</a></h2><p class="address">${methodHtml(each.method)} <code>${escapeHtml(each.path)}</code></p>${
    operation.description === undefined ? "" : `<p>${inlineHtml(operation.description)}</p>`
  }<p class="credential">Credential: ${credentialHtml(each)}. Method of the clients: <code>${
    escapeHtml(each.id)
  }</code></p>${exampleHtml(each, operation, document)}${parametersHtml(operation, document, each.id)}${
    body === undefined ? "" : `<h3>Body</h3>${bodyHtml(body, each.id, document)}`
  }${responsesHtml(operation, document)}</section>`
}

/** The page of one group; none if the contract has no such group. */
export const apiGroupPage = (group: string, openApi: unknown): ApiPage | undefined => {
  const endpoints = apiGroups().get(group)
  if (endpoints === undefined) return undefined
  const document = openApi as Document
  const { schemas } = document.components
  const operations = endpoints.map((each) => operationAt(each, document))
  const objects = [...referencesOf(
    operations.map((operation) => [operation?.parameters, operation?.requestBody, operation?.responses]),
    schemas
  )].filter((name) => schemas[name] !== undefined).sort()
  const title = groupTitle(group)
  const content =
    `<h1 id="top">${title}</h1><p>${
      inlineHtml(groupDescriptions[group] ?? "")
    } <a href="/docs/api">All endpoints</a></p>` +
    endpoints.map((each) => endpointHtml(each, document)).join("\n") +
    (objects.length === 0
      ? ""
      : `<h2 id="objects"><a class="anchor" href="#objects">Objects</a></h2>${
        objects.map((name) =>
          `<section class="object"><h3 id="${anchorOfSchema(name)}"><a class="anchor" href="#${anchorOfSchema(name)}">${
            escapeHtml(name)
          }</a></h3>${fieldsHtml(schemas[name] ?? {}, name)}</section>`
        ).join("")
      }`)
  return {
    title: `${title} API`,
    description: groupDescriptions[group] ?? "",
    content,
    headings: [
      ...endpoints.map((each) => ({ level: 2, id: nameOf(each), text: summaryOf(each) })),
      ...objects.length === 0 ? [] : [{ level: 2, id: "objects", text: "Objects" }]
    ]
  }
}

/** Every endpoint, for the search. */
export const apiSections = (): ReadonlyArray<SearchedSection> =>
  endpointsOf(HubApi).map((each) => ({
    href: endpointAddress(each.id),
    page: `${groupTitle(groupOf(each))} API`,
    heading: summaryOf(each),
    text: `${each.method} ${each.path} ${each.description ?? ""}`,
    kind: "section"
  }))
