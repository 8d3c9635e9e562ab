/** Connected apps: accounts at other services, by OAuth 2. */
import { Layer } from "effect"
import { AppCallbackHttp, AppsHttp } from "./http.ts"
import { appsOfMemberLayer } from "./of-member.ts"
import { AppProviders } from "./providers.ts"
import { AppsRepository } from "./repository.ts"
import { AppRevocationsRepository } from "./revocations-repository.ts"
import { AppRevocations } from "./revocations.ts"
import { Apps } from "./service.ts"
import { AppSweeper } from "./sweeper.ts"
import { AppTokens } from "./tokens.ts"

export const repositories = Layer.mergeAll(AppsRepository.layer, AppRevocationsRepository.layer)

/** Members need it when a person leaves. */
export const ofMember = appsOfMemberLayer

/** The catalog checks services by it. */
export const providers = AppProviders.layer

/** Dispatch needs it for the calls of declared services. */
export const tokens = AppTokens.layer

export const services = Layer.mergeAll(Apps.layer, AppSweeper.layer).pipe(Layer.provideMerge(AppRevocations.layer))

export const handlers = Layer.mergeAll(AppsHttp, AppCallbackHttp)
