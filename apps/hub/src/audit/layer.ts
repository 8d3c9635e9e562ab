/** Readers of the audit log: search, export, verification, event streams, activity of an agent. */
import { Layer } from "effect"
import { ActivityHttp } from "./activity-http.ts"
import { AgentActivity } from "./activity.ts"
import { EventsHttp } from "./events-http.ts"
import { EventsRepository } from "./events-repository.ts"
import { Events } from "./events.ts"
import { AuditHttp } from "./http.ts"
import { AuditRepository } from "./repository.ts"
import { AuditTrail } from "./trail.ts"

export const repositories = Layer.mergeAll(AuditRepository.layer, EventsRepository.layer)

export const services = Layer.mergeAll(AuditTrail.layer, Events.layer)

/** It reads agents, besides the log. */
export const activity = AgentActivity.layer

export const handlers = Layer.mergeAll(ActivityHttp, AuditHttp, EventsHttp)
