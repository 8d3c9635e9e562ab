/** The catalog of a workspace, for its people, its agents, and dispatch. Spec: reference/services.md "Catalog". */
import type { Principal, UserPrincipal } from "@countersign/domain/auth"
import {
  type CatalogServiceView,
  definitionBytesMax,
  type ImportedService,
  type ImportPreview,
  type ImportServiceInput,
  type ListedService,
  ownServicesMax,
  type PreviewImportInput,
  reservedServiceNames,
  type SavedService,
  type UpdateServiceInput
} from "@countersign/domain/catalog"
import {
  type ApiError,
  conflict,
  type Detail,
  invalidField,
  invalidRequest,
  notFound
} from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { namePattern } from "@countersign/domain/pattern"
import type { OperationPrice } from "@countersign/domain/price"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { serviceWarnings } from "@countersign/domain/service-warnings"
import {
  checkService,
  type HttpService,
  type McpDefinition,
  type OperationDefinition,
  type ServiceDefinition
} from "@countersign/domain/services"
import { Context, Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import { BindingsRepository } from "../agents/bindings-repository.ts"
import { AgentsRepository } from "../agents/repository.ts"
import { AppProviders } from "../apps/providers.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { Egress } from "../providers/egress.ts"
import { SecretsRepository } from "../secrets/repository.ts"
import { type CatalogService, makeCompiler, withPrices } from "./compiled.ts"
import { McpRepository } from "./mcp-repository.ts"
import { definitionOf } from "./mcp-tools.ts"
import type { Imported } from "./openapi-import.ts"
import { OpenApiImporter } from "./openapi-importer.ts"
import { type LargeBody, openApiJob } from "./openapi-source.ts"
import { CatalogRepository } from "./repository.ts"
import {
  agentView,
  type Changed,
  changeDefinition,
  changeMcp,
  changePrices,
  listedView,
  personView,
  secretsOf
} from "./rules.ts"
import { shippedServices } from "./shipped.ts"

/** What a workspace declares. */
type OwnDefinition = HttpService | McpDefinition

export class Catalog extends Context.Service<Catalog, {
  /**
   * Every service of a workspace by name, compiled; including disabled ones. Takes two short queries; changed
   * definitions are read and compiled, all others are the same objects as before. Dispatch caches the result until a
   * signal or a stale version.
   */
  readonly snapshot: (org: OrgId) => Effect.Effect<ReadonlyMap<string, CatalogService>>
  /** The services that the hub ships, without a workspace's settings. */
  readonly shipped: ReadonlyMap<string, ServiceDefinition>
  readonly list: (
    principal: Principal,
    query: PageQuery
  ) => Effect.Effect<PageOf<ListedService>, ApiError>
  readonly get: (principal: Principal, name: string) => Effect.Effect<CatalogServiceView, ApiError>
  readonly create: (user: UserPrincipal, definition: HttpService) => Effect.Effect<SavedService, ApiError>
  /** `body`: a request body that is too large to be read in this thread. */
  readonly import: (
    user: UserPrincipal,
    input: ImportServiceInput | LargeBody
  ) => Effect.Effect<ImportedService, ApiError>
  /** The operations of a document that can be imported; stores nothing. */
  readonly previewImport: (input: PreviewImportInput | LargeBody) => Effect.Effect<ImportPreview, ApiError>
  readonly update: (
    user: UserPrincipal,
    name: string,
    input: UpdateServiceInput
  ) => Effect.Effect<SavedService, ApiError>
  readonly remove: (user: UserPrincipal, name: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/catalog/Catalog") {
  static readonly layerOf = (shipped: ReadonlyMap<string, ServiceDefinition>) =>
    Layer.effect(Catalog, makeCatalog(shipped)).pipe(Layer.provide(OpenApiImporter.layer))
  /** With `resources/catalog`; an invalid service file there stops the start. */
  static readonly layer = Layer.unwrap(Effect.sync(() => Catalog.layerOf(shippedServices())))
}

const makeCatalog = (shipped: ReadonlyMap<string, ServiceDefinition>) =>
  Effect.gen(function*() {
    const catalog = yield* CatalogRepository
    const bindings = yield* BindingsRepository
    const agents = yield* AgentsRepository
    const secrets = yield* SecretsRepository
    const servers = yield* McpRepository
    const apps = yield* AppProviders
    const egress = yield* Egress
    const importer = yield* OpenApiImporter
    const heads = yield* OrgHeads
    const audit = yield* AuditLog
    const signals = yield* Signals
    const db = yield* Db
    const compiler = makeCompiler()

    const shippedService = (
      definition: ServiceDefinition,
      enabled: boolean | null,
      pricesText: string | null,
      version: number
    ): CatalogService => ({
      ...compiler.compile(
        `shipped ${definition.name} ${pricesText ?? ""}`,
        pricesText?.length ?? 0,
        () =>
          pricesText === null
            ? definition
            : withPrices(definition, JSON.parse(pricesText) as Record<string, OperationPrice>)
      ),
      shipped: true,
      enabled: enabled ?? definition.enabled ?? true,
      version
    })
    const ownService = (digest: string, enabled: boolean, text: string, version: number): CatalogService => ({
      ...compiler.compile(`own ${digest}`, text.length, () => JSON.parse(text) as OwnDefinition),
      shipped: false,
      enabled,
      version
    })

    const snapshot = Effect.fn("Catalog.snapshot")(function*(org: OrgId) {
      const settings = new Map((yield* catalog.settings(org)).map((row) => [row.name, row]))
      const services = new Map<string, CatalogService>()
      for (const definition of shipped.values()) {
        const set = settings.get(definition.name)
        services.set(
          definition.name,
          shippedService(definition, set?.enabled ?? null, set?.prices ?? null, set?.version ?? 1)
        )
      }
      const unread: Array<string> = []
      for (const { digest, enabled, name, version } of yield* catalog.own(org)) {
        const known = compiler.get(`own ${digest}`)
        if (shipped.has(name)) continue
        if (known === undefined) unread.push(name)
        else services.set(name, { ...known, shipped: false, enabled, version })
      }
      for (const { definition, digest, enabled, name, version } of yield* catalog.definitions(org, unread)) {
        services.set(name, ownService(digest, enabled, definition, version))
      }
      return services as ReadonlyMap<string, CatalogService>
    })

    const missingSecrets = Effect.fnUntraced(function*(org: OrgId, definitions: ReadonlyArray<ServiceDefinition>) {
      const existing = yield* secrets.existing(org, [
        ...new Set(definitions.flatMap((definition) => secretsOf(definition)))
      ])
      return (definition: ServiceDefinition) => secretsOf(definition).filter((name) => !existing.has(name))
    })

    const views = Effect.fnUntraced(function*(principal: Principal) {
      const services = [...(yield* snapshot(principal.org_id)).values()].sort((one, other) =>
        one.definition.name < other.definition.name ? -1 : 1
      )
      if (principal.kind === "user") {
        const missing = yield* missingSecrets(principal.org_id, services.map(({ definition }) => definition))
        return services.map((service) => personView(service, missing(service.definition)))
      }
      const id = principal.agent_id
      const bound = new Map(
        (yield* bindings.ofAgents(principal.org_id, [id])).get(id)?.map((
          binding
        ) => [binding.service as string, binding])
      )
      const figures = yield* bindings.figuresOf(principal.org_id, [id], principal.mode)
      return services.flatMap((service) => agentView(service, bound.get(service.definition.name), figures) ?? [])
    })

    const viewOf = Effect.fnUntraced(function*(user: UserPrincipal, service: CatalogService) {
      const missing = yield* missingSecrets(user.org_id, [service.definition])
      return personView(service, missing(service.definition))
    })

    /** Fails with every problem. Runs outside any transaction: schemas and expressions are compiled here. */
    const textOf = Effect.fnUntraced(function*(org: OrgId, definition: OwnDefinition) {
      const { enabled: _, ...stored } = definition
      const called = stored.kind === "mcp"
        ? { base_url: stored.url, ...stored.auth === undefined ? {} : { auth: stored.auth } }
        : stored
      const problems = [...checkService(stored), ...yield* apps.serviceProblems(org, called)]
      if (problems.length > 0) return yield* refused(problems)
      const text = JSON.stringify(stored)
      return Buffer.byteLength(text) <= definitionBytesMax
        ? text
        : yield* Effect.fail(invalidField("operations", `the definition is longer than ${definitionBytesMax} bytes`))
    })

    const changed = Effect.fnUntraced(function*(
      user: UserPrincipal,
      action: string,
      name: string,
      data: Readonly<Record<string, unknown>>
    ) {
      const org = user.org_id
      yield* heads.bumpRules(org)
      yield* audit.record(org, actorOf(user), { action, subject: { type: "service", id: name }, data })
      yield* db.afterCommit(Effect.sync(() => signals.config(org)))
    })

    const expected = (
      org: OrgId,
      name: string,
      input: UpdateServiceInput,
      version: number,
      current: () => Effect.Effect<CatalogServiceView>
    ) =>
      expectVersion(audit, org)({
        noun: "service",
        expected: input.expected_version,
        version,
        current: Effect.suspend(current),
        subject: name,
        actions: ["service.created", "service.imported", "service.updated"]
      })

    const add = Effect.fnUntraced(
      function*(user: UserPrincipal, definition: HttpService, text: string, action: string) {
        const org = user.org_id
        const { name } = definition
        if (shipped.has(name) || reservedServiceNames.has(name)) {
          return yield* Effect.fail(taken(name, "the hub itself"))
        }
        yield* heads.lock(org)
        if ((yield* catalog.own(org)).length >= ownServicesMax) {
          return yield* Effect.fail(
            conflict(
              "limit_reached",
              `A workspace can declare ${ownServicesMax} services; delete one first.`
            )
          )
        }
        const enabled = definition.enabled ?? true
        if (!(yield* catalog.insert(org, name, text, enabled))) return yield* Effect.fail(taken(name, "this workspace"))
        const view = yield* viewOf(user, ownService(digestOf(text), enabled, text, 1))
        yield* changed(user, action, name, { ...auditedFacts(definition), enabled })
        return view
      },
      db.transaction
    )

    const updateShipped = Effect.fnUntraced(
      function*(user: UserPrincipal, definition: ServiceDefinition, input: UpdateServiceInput) {
        const org = user.org_id
        const { name } = definition
        yield* heads.lock(org)
        const set = (yield* catalog.settings(org)).find((row) => row.name === name)
        const version = set?.version ?? 1
        yield* expected(
          org,
          name,
          input,
          version,
          () => viewOf(user, shippedService(definition, set?.enabled ?? null, set?.prices ?? null, version))
        )
        const before = set?.prices === null || set === undefined
          ? {}
          : JSON.parse(set.prices) as Record<string, OperationPrice>
        const prices = yield* accepted(changePrices(definition, before, input))
        const next = {
          name,
          enabled: input.enabled ?? set?.enabled ?? null,
          prices: Object.keys(prices).length === 0 ? null : JSON.stringify(prices)
        }
        yield* catalog.putSettings(org, next)
        const view = yield* viewOf(user, shippedService(definition, next.enabled, next.prices, version + 1))
        yield* changed(user, "service.updated", name, {
          fields: fieldsOf(input),
          shipped: true,
          enabled: view.enabled,
          prices
        })
        return { ...view, warnings: [] }
      },
      db.transaction
    )

    const updateOwn = Effect.fnUntraced(function*(user: UserPrincipal, name: string, input: UpdateServiceInput) {
      const org = user.org_id
      const row = Option.getOrUndefined(yield* catalog.find(org, name))
      if (row === undefined) return yield* Effect.fail(notFound("service"))
      // Before the definition is checked: a change based on another version may name operations that no longer exist.
      yield* expected(
        org,
        name,
        input,
        row.version,
        () => viewOf(user, ownService(row.digest, row.enabled, row.definition, row.version))
      )
      const before = JSON.parse(row.definition) as OwnDefinition
      const definition = before.kind === "mcp"
        ? definitionOf(yield* accepted(changeMcp(before, input)), yield* servers.tools(org, name))
        : yield* accepted(changeDefinition(before, input))
      const text = yield* textOf(org, definition)
      return yield* write(user, row.digest, definition, text, input)
    })
    /** Compare-and-set: none after a concurrent change. */
    const write = Effect.fnUntraced(function*(
      user: UserPrincipal,
      digest: string,
      definition: OwnDefinition,
      text: string,
      input: UpdateServiceInput
    ) {
      const org = user.org_id
      const { name } = definition
      yield* heads.lock(org)
      const standing = Option.getOrUndefined(yield* catalog.find(org, name))
      if (standing === undefined) return yield* Effect.fail(notFound("service"))
      yield* expected(
        org,
        name,
        input,
        standing.version,
        () => viewOf(user, ownService(standing.digest, standing.enabled, standing.definition, standing.version))
      )
      if (standing.digest !== digest) {
        return yield* Effect.fail(
          conflict("conflict", "The service was changed at the same time; read it and try again.")
        )
      }
      const enabled = input.enabled ?? standing.enabled
      yield* catalog.update(org, name, text, enabled)
      if (input.url !== undefined || input.auth !== undefined) yield* servers.refreshSoon(org, name)
      const view = yield* viewOf(user, ownService(digestOf(text), enabled, text, standing.version + 1))
      yield* changed(user, "service.updated", name, {
        fields: fieldsOf(input),
        shipped: false,
        enabled,
        ...auditedFacts(definition)
      })
      return { ...view, warnings: definition.kind === "mcp" ? [] : serviceWarnings(definition.operations) }
    }, db.transaction)

    const remove = Effect.fn("Catalog.remove")(function*(user: UserPrincipal, name: string) {
      const org = user.org_id
      if (shipped.has(name)) {
        return yield* Effect.fail(conflict("conflict", "A shipped service cannot be deleted; set enabled to false."))
      }
      yield* heads.lock(org)
      if (Option.isNone(yield* catalog.find(org, name))) return yield* Effect.fail(notFound("service"))
      if (yield* catalog.inUse(org, name)) {
        return yield* Effect.fail(
          conflict(
            "service_in_use",
            "Requests to this service are in progress. Disable it, and delete it when they have ended."
          )
        )
      }
      yield* catalog.remove(org, name)
      const bound = yield* bindings.disableService(org, name)
      yield* Effect.forEach(bound, (agent) => agents.bump(org, agent), { discard: true })
      yield* changed(user, "service.deleted", name, { disabled_bindings: bound.length })
    }, db.transaction)

    const importOf = (kind: "import" | "preview", input: ImportServiceInput | PreviewImportInput | LargeBody) => {
      const outcome = Effect.flatMap(openApiJob(egress, kind, input), importer.run)
      return "url" in input ? importer.oneOfFew(outcome) : outcome
    }

    /** Skips the check of `textOf`: the import already made it for each operation, often in another thread. */
    const addImported = Effect.fnUntraced(
      function*(user: UserPrincipal, { auth, definition, skipped, warnings }: Imported) {
        const problems = yield* apps.serviceProblems(user.org_id, definition)
        if (problems.length > 0) return yield* refused(problems)
        const service = yield* add(user, definition, JSON.stringify(definition), "service.imported")
        return { service, skipped, ...auth === undefined ? {} : { auth }, warnings } satisfies ImportedService
      }
    )

    return Catalog.of({
      snapshot,
      shipped,
      list: Effect.fn("Catalog.list")(function*(principal, query) {
        const [, after] = (yield* decodeCursor(query.cursor, [/^service$/, namePattern])) ?? []
        const as_of = yield* audit.asOf(principal.org_id)
        const all = yield* views(principal)
        const page = toPage(
          after === undefined ? all : all.filter(({ name }) => name > after),
          query.limit,
          ({ name }) => ["service", name]
        )
        return { ...page, data: page.data.map(listedView), as_of }
      }),
      get: Effect.fn("Catalog.get")(function*(principal, name) {
        const view = (yield* views(principal)).find((service) => service.name === name)
        return view ?? (yield* Effect.fail(notFound("service")))
      }),
      create: Effect.fn("Catalog.create")(function*(user, definition) {
        const view = yield* add(user, definition, yield* textOf(user.org_id, definition), "service.created")
        return { ...view, warnings: serviceWarnings(definition.operations) }
      }),
      import: Effect.fn("Catalog.import")(function*(user, input) {
        if (!("body" in input) && (shipped.has(input.name) || reservedServiceNames.has(input.name))) {
          return yield* Effect.fail(taken(input.name, "the hub itself"))
        }
        const outcome = yield* importOf("import", input)
        return outcome.kind === "imported"
          ? yield* addImported(user, outcome.imported)
          : yield* Effect.die("an import ended as a preview")
      }),
      previewImport: Effect.fn("Catalog.previewImport")(function*(input) {
        const outcome = yield* importOf("preview", input)
        return outcome.kind === "previewed" ? outcome.previewed : yield* Effect.die("a preview ended as an import")
      }),
      update: Effect.fn("Catalog.update")(function*(user, name, input) {
        const definition = shipped.get(name)
        return yield* definition === undefined ? updateOwn(user, name, input) : updateShipped(user, definition, input)
      }),
      remove
    })
  })

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The audited facts of a definition: no templates, which may contain values that should have been secrets. */
const auditedFacts = (definition: OwnDefinition) => ({
  ...definition.kind === "mcp" ? { url: definition.url } : { base_url: definition.base_url },
  operations: definition.operations.map(({ name }: OperationDefinition) => name)
})

const fieldsOf = ({ expected_version: _, ...fields }: UpdateServiceInput) => Object.keys(fields)

const refused = (problems: ReadonlyArray<Detail>) =>
  Effect.fail(invalidRequest(problemsSentence("The service", problems), problems))

const accepted = <A>(change: Changed<A>) => "value" in change ? Effect.succeed(change.value) : refused(change.problems)

export const taken = (name: string, by: string) =>
  conflict("conflict", `The name "${name}" is already used by ${by}; choose another.`, { name })
