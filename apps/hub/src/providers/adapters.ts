/** Which adapter does a service's work. Test-mode keys always get the mock. */
import type { Mode } from "@countersign/domain/auth"
import type { ServiceDefinition } from "@countersign/domain/services"
import { Context, Effect, Layer, type Option, type Redacted } from "effect"
import { type Adapter, failed } from "./adapter.ts"
import { echoAdapter } from "./echo.ts"
import { type AllowEntry, parseAllowList } from "./egress-rules.ts"
import { Egress, makeEgress } from "./egress.ts"
import { emailAdapter } from "./email.ts"
import { httpFetchAdapter } from "./http-fetch.ts"
import { httpAdapter } from "./http.ts"
import { llmAdapter, type LlmProvider } from "./llm.ts"
import { Mailer } from "./mail.ts"
import { mockAdapter } from "./mock.ts"

export class Adapters extends Context.Service<Adapters, {
  readonly adapterOf: (definition: ServiceDefinition, mode: Mode) => Adapter
}>()("@countersign/hub/providers/Adapters") {
  /** `builtins` are further adapters by the name that a builtin service gives in `adapter`. */
  static readonly layer = (
    options: ProviderSettings, builtins: Readonly<Record<string, Adapter>> = {}
  ): Layer.Layer<Adapters, never, Egress | Mailer> =>
    Layer.effect(Adapters, Effect.gen(function*() {
      const egress = yield* Egress
      const mailer = yield* Mailer
      const { llm } = options
      const known: ReadonlyMap<string, Adapter> = new Map(Object.entries({
        echo: echoAdapter,
        "http-fetch": httpFetchAdapter(egress),
        email: emailAdapter(mailer),
        llm: llmAdapter(yield* makeEgress({ allow: [...allowOf(options), ...originOf(llm)] }), llm),
        ...builtins
      }))
      const declared = httpAdapter(egress)
      return Adapters.of({
        adapterOf: (definition, mode) => {
          if (mode === "test") return mockAdapter
          return definition.kind === "http" ? declared : known.get(definition.adapter) ?? missingAdapter(definition.adapter)
        }
      })
    }))
}

/** The settings of `HubConfig` that decide how the hub talks to the outside. */
export interface ProviderSettings {
  readonly egressAllow: ReadonlyArray<string>
  readonly smtpUrl: Option.Option<Redacted.Redacted>
  readonly mailFrom: Option.Option<string>
  readonly llm: Option.Option<LlmProvider>
}

/** Everything that goes out: the guard, mail, and the adapters over them. */
export const providersLayer = (
  settings: ProviderSettings, builtins: Readonly<Record<string, Adapter>> = {}
): Layer.Layer<Adapters | Egress | Mailer> =>
  Adapters.layer(settings, builtins).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Egress.layer({ allow: allowOf(settings) }),
      Mailer.layer({ url: settings.smtpUrl, from: settings.mailFrom })
    ))
  )

const allowOf = ({ egressAllow }: ProviderSettings): ReadonlyArray<AllowEntry> => parseAllowList(egressAllow.join(",")).entries

/** The operator's own model provider may stand on this machine; only the chat adapter gets there. */
const originOf = (llm: Option.Option<LlmProvider>): ReadonlyArray<AllowEntry> => {
  if (llm._tag === "None" || !URL.canParse(llm.value.baseUrl)) return []
  const { hostname, port, protocol } = new URL(llm.value.baseUrl)
  return parseAllowList(`${hostname}:${port === "" ? protocol === "https:" ? 443 : 80 : port}`).entries
}

const missingAdapter = (name: string): Adapter => ({
  execute: () => Effect.succeed(failed(`This hub has no adapter "${name}".`))
})
