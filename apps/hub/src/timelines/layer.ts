/** The timeline of one request. */
import { TimelinesHttp } from "./http.ts"
import { TimelinesRepository } from "./repository.ts"
import { Timelines } from "./service.ts"

export const repositories = TimelinesRepository.layer

export const services = Timelines.layer

export const handlers = TimelinesHttp
