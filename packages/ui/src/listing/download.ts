/**
 * The address of a file that the browser downloads itself, whatever its size. A link has no headers, so the address
 * includes the workspace.
 */
import type { EndpointName, Input } from "@countersign/hub-client/contract"
import { addressOf } from "@countersign/hub-client/endpoint-address"
import { endpoints } from "@countersign/hub-client/endpoints"

type Query<E extends EndpointName> = NonNullable<Input<E> extends { readonly query?: infer Q } ? Q : never>

/** Undefined members are left out. */
export const downloadHref = <E extends EndpointName>(
  endpoint: E,
  workspace: string,
  { params, query }: {
    readonly params?: Readonly<Record<string, string>>
    readonly query: { readonly [K in keyof Query<E>]: Query<E>[K] | undefined }
  }
): string =>
  `/api/v1${
    addressOf(endpoints[endpoint].split(" ")[1] ?? "/", {
      params,
      query: { workspace, ...query as Readonly<Record<string, unknown>> }
    })
  }`
