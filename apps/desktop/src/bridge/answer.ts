import type { HubErrorFacts } from "@countersign/hub-client/error"

/** An answer of main to a window. A failed one is a value too, since an error loses its fields on the way. */
export type Answer<A> =
  | {
    readonly ok: true
    readonly value: A
    /** The hub's date, and when the call was sent and answered on this computer's clock. */
    readonly time?: readonly [date: string, askedAt: number, cameAt: number] | undefined
  }
  | { readonly ok: false; readonly error: HubErrorFacts }
