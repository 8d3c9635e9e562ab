import type { Mode } from "@countersign/domain/auth"
import type { ServiceDefinition } from "@countersign/domain/services"
import { Context } from "effect"
import type { Adapter } from "../../providers/adapter.ts"

/** The adapters of the providers, devices included: the port of the pipeline, which `adapters.ts` beside `hub.ts` implements. */
export class Adapters extends Context.Service<Adapters, {
  /** By the service's kind; a shipped service has an adapter's name, and test mode the mock. */
  readonly of: (definition: ServiceDefinition, mode: Mode) => Adapter
}>()("@countersign/hub/dispatch/pipeline/Adapters") {}
