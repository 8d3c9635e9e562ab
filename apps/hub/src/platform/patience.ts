/**
 * How long callers wait for a database that does not answer, and how many may wait. Together these keep every answer
 * within 30 s: a request waits for at most `requestMillis`, and the driver takes up to 5 s more to give up a
 * connection.
 */
import { Context } from "effect"

export interface Patience {
  /**
   * One statement of the pool, including the wait for a connection. Long jobs set their own: `unhurried` in `pool.ts`.
   */
  readonly statementMillis: number
  /** All statements of one request together. */
  readonly requestMillis: number
  /** Statements that run or wait for a connection of the pool; more are refused. */
  readonly statementsMax: number
  /** A service request without a decision after this long is refused, and never executed. */
  readonly beginMillis: number
  /** Undecided service requests, and the characters of their payloads; more are refused. */
  readonly beginsMax: number
  readonly beginLengthMax: number
  /** When a settlement is not written after this long, the caller of the executed request gets `running`. */
  readonly settleMillis: number
  /** A batch without an answer is sent again on a new connection. */
  readonly batchMillis: number
}

export const patienceDefault: Patience = {
  statementMillis: 15_000,
  requestMillis: 20_000,
  statementsMax: 10_000,
  beginMillis: 15_000,
  beginsMax: 10_000,
  beginLengthMax: 256 << 20,
  settleMillis: 15_000,
  batchMillis: 20_000
}

/** Tests set shorter times. */
export class DatabasePatience extends Context.Reference<Patience>("@countersign/hub/platform/DatabasePatience", {
  defaultValue: () => patienceDefault
}) {}
