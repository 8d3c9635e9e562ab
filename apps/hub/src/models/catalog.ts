/**
 * The model catalog: the provider's own list, kept for an hour, over the snapshot that the hub ships. An old list is
 * served while a newer one is fetched. Spec: reference/models.md "Catalog".
 */
import type { Model, ModelList } from "@countersign/domain/models"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../config.ts"
import { readAnswer } from "../providers/answer.ts"
import { Egress } from "../providers/egress.ts"
import { isSuccess } from "../providers/fate.ts"
import { readProviderList } from "./provider-list.ts"
import { offlineModels, readSnapshot } from "./snapshot.ts"
import { makeTable, type ModelTable } from "./table.ts"

/** How long a provider's list is current. */
export const listMillis = 3_600_000
/** After a failed fetch, the next one is not before. */
const failedMillis = 60_000
/** How long the first reader waits for the provider's list. */
const firstMillisMax = 5_000
const fetchMillisMax = 30_000
const listBytesMax = 16 * 1024 * 1024

export interface CatalogVersion {
  /** By id. */
  readonly models: ReadonlyArray<Model>
  readonly source: ModelList["source"]
  readonly table: ModelTable
}

export class ModelCatalog extends Context.Service<ModelCatalog, {
  /** The first reader of a hub with a provider waits a few seconds for its list. */
  readonly current: Effect.Effect<CatalogVersion>
  /** What this hub has now. An old list is fetched again in the background. */
  readonly peek: () => CatalogVersion
}>()("@countersign/hub/models/ModelCatalog") {
  static readonly layer = Layer.effect(
    ModelCatalog,
    Effect.gen(function*() {
      const egress = yield* Egress
      const { llm } = yield* Settings
      const scope = yield* Effect.scope
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const snapshot = readSnapshot()
      const shippedTable = makeTable(snapshot.data)

      const versionOf = (models: ReadonlyArray<Model>, source: CatalogVersion["source"]): CatalogVersion => {
        const offline = new Set(offlineModels.map(({ id }) => id))
        const all = [...models.filter(({ id }) => !offline.has(id)), ...offlineModels].sort((a, b) =>
          a.id < b.id ? -1 : 1
        )
        return { models: all, source, table: makeTable(all) }
      }
      const shipped = versionOf(snapshot.data, {
        kind: "snapshot",
        name: snapshot.source,
        generated_at: snapshot.generated_at
      })

      let version = shipped
      let isFetched = false
      /** By the monotonic clock: when the list is old. */
      let until = -Infinity
      let fetching: Promise<void> | undefined

      const fetch = Option.match(llm, {
        onNone: () => undefined,
        onSome: ({ apiKey, baseUrl, wire }) => {
          const key = Option.getOrUndefined(Option.map(apiKey, Redacted.value))
          return egress.request({
            url: `${baseUrl.replace(/\/+$/, "")}/models${wire === "anthropic" ? "?limit=1000" : ""}`,
            method: "GET",
            headers: {
              accept: "application/json",
              ...key === undefined
                ? {}
                : wire === "anthropic"
                ? { "x-api-key": key, "anthropic-version": "2023-06-01" }
                : { authorization: `Bearer ${key}` }
            },
            timeoutMs: fetchMillisMax,
            maxBytes: listBytesMax,
            overflow: "fail",
            trusted: true
          }).pipe(
            Effect.flatMap((answer) => {
              const reading = readAnswer(answer.body, answer.headers["content-type"])
              const list = isSuccess(answer.status) && reading.kind === "json"
                ? readProviderList(reading.document, shippedTable)
                : undefined
              return list === undefined
                ? Effect.fail(new Error(`The model provider answered ${answer.status} without a list of models.`))
                : Effect.succeed(list)
            }),
            Effect.matchEffect({
              onSuccess: ({ models, priced }) =>
                Effect.sync(() => {
                  const own = new Set(models.map(({ id }) => id))
                  version = versionOf(
                    priced ? models : [...models, ...snapshot.data.filter(({ id }) => !own.has(id))],
                    { kind: "provider", generated_at: new Date().toISOString() }
                  )
                  isFetched = true
                  until = performance.now() + listMillis
                }),
              onFailure: (error) =>
                Effect.andThen(
                  Effect.sync(() => {
                    until = performance.now() + failedMillis
                  }),
                  Effect.logWarning(`the list of models could not be read: ${error.message}`)
                )
            })
          )
        }
      })

      const refresh = (): Promise<void> | undefined => {
        if (fetch === undefined || performance.now() < until) return fetching
        return fetching ??= new Promise<void>((resolve) => {
          run(
            Effect.ensuring(
              fetch,
              Effect.sync(() => {
                fetching = undefined
                resolve()
              })
            ).pipe(Effect.forkIn(scope))
          )
        })
      }

      return ModelCatalog.of({
        current: Effect.gen(function*() {
          const fetched = refresh()
          if (fetched !== undefined && !isFetched) {
            yield* Effect.timeoutOption(Effect.promise(() => fetched), firstMillisMax)
          }
          return version
        }),
        peek: () => {
          void refresh()
          return version
        }
      })
    })
  )
}
