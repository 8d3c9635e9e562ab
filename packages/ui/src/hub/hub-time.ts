/** The hub's clock of this page. Screens read it instead of `Date.now()`, because approvals expire by the hub's time. */
import { makeHubClock } from "@countersign/hub-client/hub-clock"

export const hubClock = makeHubClock()
