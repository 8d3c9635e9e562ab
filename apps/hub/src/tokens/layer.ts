/** Personal access tokens. */
import { TokensHttp } from "./http.ts"
import { TokensRepository } from "./repository.ts"
import { Tokens } from "./service.ts"

export const repositories = TokensRepository.layer

export const services = Tokens.layer

export const handlers = TokensHttp
