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
}

export const servicesOf = ({ egressAllow, mail }: OutboundSettings) =>
  Layer.mergeAll(
    Egress.layer({ allow: parseAllowList(egressAllow.join(",")).entries }),
    EgressFetch.layer({ allow: parseAllowList(egressAllow.join(",")).entries }),
    EgressStreams.layer,
    Mailer.layer(mail)
  )
