/** Bindings: which service an agent may use, within which caps. */
import { BindingsHttp } from "./http.ts"
import { Bindings } from "./service.ts"

export const services = Bindings.layer

export const handlers = BindingsHttp
