/** Triggers: signed webhooks and cron expressions that make requests. */
import { Layer } from "effect"
import { TriggerClock } from "./clock.ts"
import { TriggerCalls } from "./fire.ts"
import { TriggerHooksHttp, TriggersHttp } from "./http.ts"
import { agentFiringsLayer, firingsOfMemberLayer } from "./of-agents.ts"
import { TriggersRepository } from "./repository.ts"
import { TriggerSecrets } from "./secrets.ts"
import { Triggers } from "./service.ts"

export const repositories = TriggersRepository.layer

/** The services of agents and of members use these. */
export const ofAgent = agentFiringsLayer
export const ofMember = firingsOfMemberLayer

export const services = Layer.mergeAll(TriggerCalls.layer, Triggers.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(TriggerClock.layer, TriggerSecrets.layer))
)

export const handlers = Layer.mergeAll(TriggersHttp, TriggerHooksHttp)
