/** The input and output of each endpoint, derived from the contract by types alone: no schema is in the bundle. */
import type { GroupMethods, Method } from "@countersign/domain/client-groups"

type Flat = {
  [G in keyof GroupMethods]: {
    [N in keyof GroupMethods[G] & string as `${G & string}.${N}`]: GroupMethods[G][N]
  }
}[keyof GroupMethods]
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never
type Methods = Intersection<Flat>

/** `approvals.list`, `agents.rotateKey`: the contract's operation ids. */
export type EndpointName = keyof Methods & string

/** Any string is accepted as an id: an address holds text, and the hub validates ids. */
type Loose<T> = T extends string ? ({} extends Record<T, 1> ? string : T)
  : T extends ReadonlyArray<infer Item> ? ReadonlyArray<Item extends string ? Loose<Item> : Item>
  : T
type LooseFields<T> = T extends ReadonlyArray<unknown> | null ? T
  : T extends object ? { [K in keyof T]: Loose<T[K]> }
  : T
type LooseRequest<R> = { [K in keyof R]: LooseFields<R[K]> }

/** `{ params?, query?, payload? }` of an endpoint. */
export type Input<E extends EndpointName> = Methods[E] extends Method<infer R, infer _A> ? LooseRequest<R> : never
/** The answer of an endpoint; for a list, one page. */
export type Output<E extends EndpointName> = Methods[E] extends Method<infer _R, infer A> ? A : never

interface AnyPage {
  readonly data: ReadonlyArray<unknown>
  readonly next_cursor: string | null
}
/** For an endpoint with other answers for other callers (a device leases, a person lists), the answer to a person. */
type PageAnswer<E extends EndpointName> = Extract<Output<E>, AnyPage>

/** Endpoints that return `{ data, next_cursor, as_of }`. */
export type ListName = { [E in EndpointName]: [PageAnswer<E>] extends [never] ? never : E }[EndpointName]
/** One page of a list. */
export type ListPage<E extends ListName> = PageAnswer<E>
/** One row of a list. */
export type Row<E extends ListName> = PageAnswer<E> extends { readonly data: ReadonlyArray<infer Item> } ? Item : never

export interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly payload?: unknown
}
