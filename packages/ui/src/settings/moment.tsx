import { hubClock } from "../hub/hub-time.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"

/** A time relative to the hub's clock. */
export const Moment = ({ at }: { readonly at: string }) => <RelativeTime at={at} now={hubClock.now} />
