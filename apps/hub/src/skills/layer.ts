/** Skills of agents, and their proposals. */
import { SkillsHttp } from "./http.ts"
import { SkillsRepository } from "./repository.ts"
import { Skills } from "./service.ts"

export const repositories = SkillsRepository.layer

export const services = Skills.layer

export const handlers = SkillsHttp
