/** Sign-in by OpenID Connect. */
import { Layer } from "effect"
import { OidcHttp } from "./http.ts"
import { Identities } from "./identities.ts"
import { OidcProvider } from "./provider.ts"
import { OidcRepository } from "./repository.ts"
import { OidcRoles } from "./roles.ts"
import { Oidc, providerLinksLayer } from "./service.ts"

export const repositories = OidcRepository.layer

export const services = Layer.mergeAll(Oidc.layer, Identities.layer, providerLinksLayer).pipe(
  Layer.provide(Layer.mergeAll(OidcProvider.layer, OidcRoles.layer))
)

export const handlers = OidcHttp
