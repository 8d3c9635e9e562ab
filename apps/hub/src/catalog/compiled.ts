/** Definitions prepared for dispatch: parsed once, schemas compiled once, with the workspace's prices. */
import { compileSchema, type Validator } from "@countersign/domain/json-schema"
import type { OperationPrice } from "@countersign/domain/price"
import type { OperationDefinition, ServiceDefinition } from "@countersign/domain/services"
import { Result } from "effect"
import { LRUCache } from "lru-cache"

/** Of all cached definitions, in characters. */
const keptCharactersMax = 32 * 1024 * 1024

export interface CatalogOperation {
  /** With the workspace's price, whose expressions are compiled once. */
  readonly definition: OperationDefinition
  /** Of the payload. Compiled on first use. */
  readonly validator: Validator
}

export interface CatalogService {
  /** The same object for as long as both the text and the prices stay the same. */
  readonly definition: ServiceDefinition
  readonly operations: ReadonlyMap<string, CatalogOperation>
  readonly shipped: boolean
  /** When false, dispatch treats it as if there were no binding. */
  readonly enabled: boolean
  /** The version of the edited fields. */
  readonly version: number
}

export type Compiled = Pick<CatalogService, "definition" | "operations">

class LazyOperation implements CatalogOperation {
  readonly definition: OperationDefinition
  #validator: Validator | undefined

  constructor(definition: OperationDefinition) {
    this.definition = definition
  }

  get validator(): Validator {
    return this.#validator ??= validatorOf(this.definition.payload_schema)
  }
}

/** A saved schema that no longer compiles refuses every payload. */
const validatorOf = (schema: Readonly<Record<string, unknown>>): Validator => {
  const compiled = compileSchema(schema)
  return Result.isSuccess(compiled) ? compiled.success : {
    schema,
    validate: (_value, at = "") => [
      { path: at, message: "The operation's schema can no longer be used. Declare the service again." }
    ]
  }
}

export const withPrices = (
  definition: ServiceDefinition,
  prices: Readonly<Record<string, OperationPrice>>
): ServiceDefinition => ({
  ...definition,
  operations: definition.operations.map((operation: OperationDefinition) =>
    Object.hasOwn(prices, operation.name) ? { ...operation, price: prices[operation.name]! } : operation
  )
} as ServiceDefinition)

const compile = (definition: ServiceDefinition): Compiled => ({
  definition,
  operations: new Map(
    definition.operations.map((operation: OperationDefinition) => [operation.name, new LazyOperation(operation)])
  )
})

/** Caches compiled definitions and drops the least recently used. A key always denotes the same definition. */
export const makeCompiler = () => {
  const kept = new LRUCache<string, Compiled>({ maxSize: keptCharactersMax })
  return {
    get: (key: string): Compiled | undefined => kept.get(key),
    compile: (key: string, size: number, make: () => ServiceDefinition): Compiled => {
      const known = kept.get(key)
      if (known !== undefined) return known
      const compiled = compile(make())
      kept.set(key, compiled, { size: Math.max(1, size) })
      return compiled
    }
  }
}
