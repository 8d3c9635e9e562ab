/** The ways out of the hub: HTTP through the egress guard, and e-mail. */
import { Layer } from "effect"
import { EgressFetch } from "./egress-fetch.ts"
import { parseAllowList } from "./egress-rules.ts"
import { EgressStreams } from "./egress-streams.ts"
import { Egress } from "./egress.ts"
import { Mailer, type MailSettings } from "./mail.ts"

export interface OutboundSettings {
  readonly egressAllow: ReadonlyArray<string>
  readonly mail: MailSettings
  /** A paused copy calls nobody. */
  readonly paused: boolean
}

export const servicesOf = ({ egressAllow, mail, paused }: OutboundSettings) => {
  const guard = { allow: parseAllowList(egressAllow.join(",")).entries, paused }
  return Layer.mergeAll(
    Egress.layer(guard),
    EgressFetch.layer(guard),
    EgressStreams.layerOf({ paused }),
    Mailer.layer(mail)
  )
}
