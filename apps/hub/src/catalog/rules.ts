/** How a change affects a definition, and how a service is shown. Spec: reference/services.md "Catalog". */
import { type BindingSettings, capsOf, coversOperation } from "@countersign/domain/bindings"
import type {
  CatalogOperationView,
  CatalogServiceView,
  ListedService,
  OperationRemaining,
  UpdateServiceInput
} from "@countersign/domain/catalog"
import type { Detail } from "@countersign/domain/errors"
import { checkPrice, type OperationPrice, type Price } from "@countersign/domain/price"
import type {
  HttpService,
  McpDefinition,
  McpService,
  OperationDefinition,
  ServiceDefinition
} from "@countersign/domain/services"
import type { OperationFigures } from "../agents/bindings-repository.ts"
import type { CatalogService } from "./compiled.ts"

/** Secrets of a definition or of one of its operations: for its credential, and for the verification of callbacks. */
export const secretsOf = (definition: ServiceDefinition, operation?: string): ReadonlyArray<string> => {
  if (definition.kind === "builtin") return []
  const callbacks = definition.kind === "mcp"
    ? []
    : definition.operations.filter(({ name }) => operation === undefined || name === operation).map((
      { async }
    ) => async?.secret)
  return [...new Set([definition.auth?.secret, ...callbacks].filter((name) => name !== undefined))].sort()
}

const unknownOperations = (
  prices: UpdateServiceInput["prices"],
  definition: ServiceDefinition
): ReadonlyArray<Detail> =>
  Object.keys(prices ?? {}).filter((name) => !definition.operations.some((operation) => operation.name === name)).map((
    name
  ) => ({
    path: `prices.${name}`,
    message: `The service has no operation "${name}".`
  }))

const priceProblems = ({ price, prices }: UpdateServiceInput): ReadonlyArray<Detail> => [
  ...(price === undefined || price === null ? [] : checkPrice(price)),
  ...Object.entries(prices ?? {}).flatMap(([name, one]) => one === null ? [] : checkPrice(one, `prices.${name}`))
]

/** A price by tokens belongs to the operations that are shipped with one. */
const tokensProblems = (
  { price, prices }: UpdateServiceInput,
  operations: ReadonlyArray<Pick<OperationDefinition, "name" | "price">>
): ReadonlyArray<Detail> => {
  const taken = new Set(operations.filter(({ price }) => price.type === "tokens").map(({ name }) => name))
  const message = "Only a shipped operation whose price is by tokens can have a price of this type."
  return [
    ...price?.type === "tokens" && operations.some(({ name }) => !taken.has(name)) ? [{ path: "price", message }] : [],
    ...Object.entries(prices ?? {}).flatMap(([name, one]) =>
      one?.type === "tokens" && !taken.has(name) ? [{ path: `prices.${name}`, message }] : []
    )
  ]
}

export type Changed<A> = { readonly problems: ReadonlyArray<Detail> } | { readonly value: A }

/** The workspace's prices of a shipped service after a change. */
export const changePrices = (
  shipped: ServiceDefinition,
  before: Readonly<Record<string, OperationPrice>>,
  input: UpdateServiceInput
): Changed<Readonly<Record<string, OperationPrice>>> => {
  const foreign = Object.keys(input).filter((field) =>
    !["enabled", "price", "prices", "expected_version"].includes(field)
  ).map((path) => ({
    path,
    message: "Only enabled, price, and prices of a shipped service can be changed."
  }))
  const problems = [
    ...foreign,
    ...unknownOperations(input.prices, shipped),
    ...tokensProblems(input, shipped.operations),
    ...priceProblems(input)
  ]
  if (problems.length > 0) return { problems }
  const prices: Record<string, OperationPrice> = { ...before }
  for (const { name } of shipped.operations) {
    const own = input.prices !== undefined && Object.hasOwn(input.prices, name) ? input.prices[name] : undefined
    const next = own === undefined ? input.price : own
    if (next === null) delete prices[name]
    else if (next !== undefined) prices[name] = next
  }
  return { value: prices }
}

const onlyOf = (input: UpdateServiceInput, fields: ReadonlyArray<keyof UpdateServiceInput>, kind: string) =>
  fields.filter((path) => input[path] !== undefined).map((path) => ({
    path,
    message: `Only a service of kind ${kind} has this field.`
  }))

const fixedProblems = (prices: UpdateServiceInput["prices"]): ReadonlyArray<Detail> =>
  Object.entries(prices ?? {}).flatMap(([name, price]) =>
    price === null || price.type === "fixed"
      ? []
      : [{ path: `prices.${name}`, message: "A tool of an MCP service has a fixed price." }]
  )

/** An MCP service after a change, without its operations, whose prices follow. */
export const changeMcp = (
  { operations: _, ...before }: McpDefinition,
  input: UpdateServiceInput
): Changed<McpService> => {
  const {
    base_url: _base,
    enabled: _enabled,
    expected_version: _version,
    operations: _list,
    price,
    prices,
    ...fields
  } = input
  const problems = [
    ...onlyOf(input, ["base_url", "operations"], "http"),
    ...fixedProblems(prices),
    ...price === undefined || price?.type === "fixed"
      ? []
      : [{ path: "price", message: "An MCP service has a fixed price." }]
  ]
  if (problems.length > 0) return { problems }
  const kept: Record<string, McpService["default_price"]> = { ...before.prices }
  for (const [name, one] of Object.entries(prices ?? {})) {
    if (one === null) delete kept[name]
    else if (one.type === "fixed") kept[name] = one
  }
  return {
    value: {
      ...before,
      ...fields,
      ...price?.type === "fixed" ? { default_price: price } : {},
      ...Object.keys(kept).length === 0 && before.prices === undefined ? {} : { prices: kept }
    }
  }
}

/** A declared service's definition after a change; the caller still has to run `checkService`. */
export const changeDefinition = (before: HttpService, input: UpdateServiceInput): Changed<HttpService> => {
  const {
    default_price: _default,
    enabled: _,
    expected_version: _version,
    price,
    prices,
    url: _url,
    ...fields
  } = input
  const next: HttpService = { ...before, ...fields }
  const unset = [
    ...(price === null ? ["price"] : []),
    ...Object.entries(prices ?? {}).flatMap(([name, one]) => one === null ? [`prices.${name}`] : [])
  ]
  const problems = [
    ...onlyOf(input, ["url", "default_price"], "mcp"),
    ...unset.map((path) => ({ path, message: "Only a shipped service has an original price." })),
    ...unknownOperations(prices, next),
    ...tokensProblems(input, next.operations),
    ...priceProblems(input)
  ]
  if (problems.length > 0) return { problems }
  return {
    value: {
      ...next,
      operations: next.operations.map((operation) => {
        const own = prices !== undefined && Object.hasOwn(prices, operation.name) ? prices[operation.name] : undefined
        // A price by tokens is refused above.
        return { ...operation, price: (own ?? price ?? operation.price) as Price }
      })
    }
  }
}

const optional = <K extends string, V>(name: K, value: V | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in K]?: V }

/** The complete view for people. */
export const personView = (
  { definition, enabled, shipped, version }: CatalogService,
  missing: ReadonlyArray<string>
): CatalogServiceView => ({
  name: definition.name,
  ...optional("title", definition.title),
  ...optional("description", definition.description),
  kind: definition.kind,
  shipped,
  enabled,
  ...(definition.kind === "http"
    ? { base_url: definition.base_url, ...optional("auth", definition.auth) }
    : definition.kind === "mcp"
    ? {
      url: definition.url,
      ...optional("auth", definition.auth),
      default_price: definition.default_price,
      ...optional("prices", definition.prices)
    }
    : { adapter: definition.adapter, ...optional("settings", definition.settings) }),
  operations: definition.operations,
  ...(missing.length === 0 ? {} : { missing_secrets: missing }),
  version
})

const agentOperation = (operation: OperationDefinition): CatalogOperationView => ({
  name: operation.name,
  ...optional("title", operation.title),
  ...optional("description", operation.description),
  payload_schema: operation.payload_schema,
  ...optional("example", operation.example),
  ...optional("response_schema", operation.response_schema),
  price: operation.price
})

const listedDescriptionMax = 200

/** The view in the list: without schemas and templates. */
export const listedView = (view: CatalogServiceView): ListedService => ({
  ...view,
  operations: view.operations.map(({
    body: _body,
    headers: _headers,
    payload_schema: _payload,
    query: _query,
    response_schema: _response,
    test: _test,
    ...operation
  }) => ({
    ...operation,
    ...optional("description", operation.description?.slice(0, listedDescriptionMax).toWellFormed())
  }))
})

/**
 * The view for an agent: the operations that it may call now, with their remaining limits; none when it may call none.
 */
export const agentView = (
  { definition, enabled, shipped }: CatalogService,
  binding: BindingSettings | undefined,
  figures: ReadonlyArray<OperationFigures>
): CatalogServiceView | undefined => {
  const operations = binding === undefined || !enabled
    ? []
    : definition.operations.filter((operation: OperationDefinition) => coversOperation(binding, operation.name))
  if (binding === undefined || operations.length === 0) return undefined
  const remaining = operations.map(({ name }): readonly [string, OperationRemaining] => {
    const used = figures.find((figure) => figure.service === definition.name && figure.operation === name)
    return [name, {
      ...capsOf(binding, name),
      spent_this_month_cents: used?.month_used ?? 0,
      held_cents: used?.month_held ?? 0,
      used_today: used?.day_used ?? 0
    }]
  })
  return {
    name: definition.name,
    ...optional("title", definition.title),
    ...optional("description", definition.description),
    kind: definition.kind,
    shipped,
    enabled,
    operations: operations.map(agentOperation),
    remaining: Object.fromEntries(remaining)
  }
}
