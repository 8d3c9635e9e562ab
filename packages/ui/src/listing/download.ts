/**
 * The address of a file that the browser downloads itself, whatever its size. A link has no headers, so the address
 * includes the workspace.
 */
import { addressOf } from "../hub/address.ts"
import type { EndpointName, Input } from "../hub/contract.ts"
import { endpoints } from "../hub/endpoints.ts"

type Query<E extends EndpointName> = NonNullable<Input<E> extends { readonly query?: infer Q } ? Q : never>

/** Undefined members are left out. */
export const downloadHref = <E extends EndpointName>(
  endpoint: E,
  workspace: string,
  { query }: { readonly query: { readonly [K in keyof Query<E>]: Query<E>[K] | undefined } }
): string =>
  `/api/v1${
    addressOf(endpoints[endpoint].split(" ")[1] ?? "/", {
      query: { workspace, ...query as Readonly<Record<string, unknown>> }
    })
  }`
