/** A proxy before PostgreSQL that ends a hub at a chosen statement of one of its transactions. */
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { Effect, type Scope } from "effect"
import type { Socket } from "node:net"
import { databaseProxy } from "./database-proxy.ts"

export interface Cut {
  /** Statements count from the first one that contains it, on the connections that send it. */
  readonly marker: string
  /** The number of the statement, from 1. */
  readonly at: number
  /** `statement`: it never reaches PostgreSQL. `reply`: PostgreSQL executes it, and its reply is lost. */
  readonly lost: "statement" | "reply"
  /** Called at that moment, before the connection is cut. */
  readonly reached: () => void
}

export interface StatementProxy {
  /** A `DATABASE_URL` through the proxy. */
  readonly url: string
  readonly arm: (cut: Cut) => void
  /** Returns the number of statements up to the last commit since the proxy was armed. */
  readonly disarm: () => number
}

export const statementProxy = (target: DatabaseTarget & { readonly database: string }) =>
  Effect.gen(function*(): Effect.fn.Return<StatementProxy, never, Scope.Scope> {
    let plan: Cut | undefined
    let awaited: Socket | undefined
    let count = 0
    let committed = 0
    const counting = new Set<Socket>()
    const url = yield* databaseProxy(target, ({ backend, client, cut }) => {
      /** The name of this connection's prepared statement that commits. */
      let commit: string | undefined
      client.on("data", (bytes: Buffer) => {
        commit ??= /(effect_[^\0]*)\0commit\0/i.exec(bytes.toString("latin1"))?.[1]
        if (plan !== undefined && (counting.has(client) || bytes.includes(plan.marker))) {
          counting.add(client)
          count++
          if (count === plan.at) {
            if (plan.lost === "reply") awaited = client
            else {
              plan.reached()
              return cut()
            }
          }
          if (commit !== undefined && bytes.includes(`\0${commit}\0`)) {
            committed = count
            counting.delete(client)
          }
        }
        backend.write(bytes)
      })
      backend.on("data", (bytes: Buffer) => {
        if (plan !== undefined && awaited === client) {
          plan.reached()
          return cut()
        }
        client.write(bytes)
      })
      return { ended: () => void counting.delete(client) }
    })
    return {
      url,
      arm: (cut) => {
        plan = cut
        awaited = undefined
        count = committed = 0
        counting.clear()
      },
      disarm: () => {
        plan = undefined
        return committed
      }
    }
  })
