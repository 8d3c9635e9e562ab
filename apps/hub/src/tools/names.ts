/**
 * Names of operations as tools for models. Clients accept only short names of few characters, so a name is looked up in
 * a table and never parsed. Names depend on the whole catalog, not on an agent's bindings: a new binding never gives the
 * name of one operation to another. Spec: reference/mcp.md "Tools".
 */
import { createHash } from "node:crypto"
import type { CatalogService } from "../catalog/compiled.ts"

export const toolNameMax = 48
const hashLength = 8
const stemLength = toolNameMax - 1 - hashLength

export interface ToolTarget {
  readonly service: string
  readonly operation: string
}

export interface ToolNames {
  readonly targetOf: (name: string) => ToolTarget | undefined
  /** `undefined` when two operations would have the same name. */
  readonly nameOf: (target: ToolTarget) => string | undefined
}

const catalogName = ({ operation, service }: ToolTarget): string => `${service}.${operation}`

const plainName = ({ operation, service }: ToolTarget): string =>
  `${service}__${operation}`.replace(/[^A-Za-z0-9_-]/gu, "_")

const hashedName = (target: ToolTarget): string =>
  `${plainName(target).slice(0, stemLength)}_${
    createHash("sha256").update(catalogName(target)).digest("hex").slice(0, hashLength)
  }`

/** The names that exactly one of the operations has. */
const unique = (targets: ReadonlyArray<ToolTarget>, nameOf: (target: ToolTarget) => string) => {
  const counts = new Map<string, number>()
  for (const target of targets) counts.set(nameOf(target), (counts.get(nameOf(target)) ?? 0) + 1)
  return (name: string): boolean => counts.get(name) === 1
}

export const makeToolNames = (targets: ReadonlyArray<ToolTarget>): ToolNames => {
  const isUniquePlain = unique(targets, plainName)
  const hashed = targets.filter((target) => plainName(target).length > toolNameMax || !isUniquePlain(plainName(target)))
  const isUniqueHashed = unique(hashed, hashedName)
  const byName = new Map<string, ToolTarget>()
  const byTarget = new Map<string, string>()
  const add = (name: string, target: ToolTarget) => {
    byName.set(name, target)
    byTarget.set(catalogName(target), name)
  }
  for (const target of hashed) if (isUniqueHashed(hashedName(target))) add(hashedName(target), target)
  const needsHash = new Set(hashed.map(catalogName))
  for (const target of targets) {
    if (needsHash.has(catalogName(target))) continue
    // An operation may be named like the hashed name of another one.
    const name = byName.has(plainName(target)) ? hashedName(target) : plainName(target)
    if (!byName.has(name)) add(name, target)
  }
  return { targetOf: (name) => byName.get(name), nameOf: (target) => byTarget.get(catalogName(target)) }
}

const known = new WeakMap<ReadonlyMap<string, CatalogService>, ToolNames>()

/** The names of a workspace's operations; made once for each snapshot of its catalog. */
export const toolNamesOf = (services: ReadonlyMap<string, CatalogService>): ToolNames => {
  const made = known.get(services) ?? makeToolNames(
    [...services].flatMap(([service, { operations }]) =>
      [...operations.keys()].map((operation) => ({ service, operation }))
    )
  )
  known.set(services, made)
  return made
}
