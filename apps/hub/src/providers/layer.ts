/** The ways out of the hub: HTTP through the egress guard, and e-mail. */
import { Effect, Layer } from "effect"
import { Settings } from "../config.ts"
import { parseAllowList } from "./egress-rules.ts"
import { Egress } from "./egress.ts"
import { Mailer } from "./mail.ts"

export const services = Layer.unwrap(Effect.map(Settings, (settings) =>
  Layer.mergeAll(
    Egress.layer({ allow: parseAllowList(settings.egressAllow.join(",")).entries }),
    Mailer.layer({ url: settings.smtpUrl, from: settings.mailFrom })
  )))
