/** The port between notices and a messenger's API. A call never fails: each refusal says what follows from it. */
import type { Notice } from "./notice.ts"

export interface SentMessage {
  /** The provider's id of the channel, which may differ from the target. */
  readonly place: string
  readonly message: string
}

export type MessengerFailure =
  /** The provider asks to wait. */
  | { readonly kind: "limited"; readonly seconds: number }
  /** Nothing arrived, or the provider had trouble: another try may succeed. */
  | { readonly kind: "passing"; readonly detail: string; readonly isTimeout: boolean }
  /** A person must change something: the token, the channel, the rights of the bot. */
  | { readonly kind: "refused"; readonly detail: string }
  /** The message does not exist any more, or cannot change. */
  | { readonly kind: "gone"; readonly detail: string }

export type Plain = { readonly text: string }
export type Content = Notice | Plain

export const isNotice = (content: Content): content is Notice => "subject" in content

/** Seconds of the header `retry-after`, within a minute and an hour's bounds. */
export const retryAfterSeconds = (header: string | undefined): number => {
  const seconds = Number(header)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(3_600, Math.ceil(seconds)) : 5
}
