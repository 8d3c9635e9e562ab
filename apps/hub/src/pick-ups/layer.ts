/** Answers that wait for the identical call. */
import { PickUpsRepository } from "./repository.ts"
import { PickUps } from "./service.ts"

export const repositories = PickUpsRepository.layer

export const services = PickUps.layer
