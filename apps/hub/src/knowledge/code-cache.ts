/**
 * The codes of large collections in memory, for candidates without a scan in PostgreSQL. A stale cache can miss a new
 * chunk, never return another workspace's: candidates are read by workspace and collection.
 */
import { Context, type Effect } from "effect"

/** Below this number of chunks PostgreSQL finds candidates as fast. */
export const cachedChunksMin = 300_000

/**
 * Up to 50,000 chunks after an id, as one array: for each, `int8send(chunk_id) || substring(varbit_send(code) from 5)`,
 * ordered by `chunk_id`, joined by `string_agg(…, ''::bytea order by chunk_id)`. Empty at the end.
 */
export type CodePage<E, R> = (afterChunkId: bigint) => Effect.Effect<Uint8Array, E, R>

export interface CodeQuery<E, R> {
  readonly collectionId: string
  /** Any change of the collection's chunks changes it; the cache loads the codes again. */
  readonly version: number
  readonly dimensions: number
  readonly page: CodePage<E, R>
  /** The query's vector. */
  readonly vector: Float32Array
  readonly count: number
}

export class CodeCache extends Context.Service<CodeCache, {
  /**
   * The ids of the nearest chunks by code, the nearest first; undefined while the codes are loaded (the caller scans in
   * PostgreSQL) or when they exceed the memory for codes. Returns to the event loop between parts of the scan.
   */
  readonly nearest: <E, R>(
    query: CodeQuery<E, R>
  ) => Effect.Effect<ReadonlyArray<bigint> | undefined, E, R>
  /** Removes a deleted collection's codes. */
  readonly forget: (collectionId: string) => Effect.Effect<void>
}>()("@countersign/hub/knowledge/CodeCache") {}
