/** Sign-in of MCP clients. */
import { OAuthRepository } from "./repository.ts"
import { OAuth } from "./service.ts"

export const repositories = OAuthRepository.layer

export const services = OAuth.layer
