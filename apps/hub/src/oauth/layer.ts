/** Sign-in of MCP clients. */
import { Layer } from "effect"
import { ClientDocuments } from "./documents.ts"
import { OAuthRepository } from "./repository.ts"
import { OAuth } from "./service.ts"

export const repositories = OAuthRepository.layer

export const services = OAuth.layer.pipe(Layer.provide(ClientDocuments.layer))
