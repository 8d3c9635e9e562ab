/** People: first start, sign-in, sessions, rights; and the keys of agents. */
import { Layer } from "effect"
import { ActiveTeamRepository } from "./active-team-repository.ts"
import { AgentKeys } from "./agent-keys.ts"
import { BreakGlassRepository } from "./break-glass-repository.ts"
import { BreakGlass } from "./break-glass.ts"
import { ChallengesRepository } from "./challenges-repository.ts"
import { FirstOwner } from "./first-owner.ts"
import { AuthHttp } from "./http.ts"
import { Liveness } from "./liveness.ts"
import { LoginLimits } from "./login-limits.ts"
import { Passwords } from "./passwords.ts"
import { credentialsLayer } from "./principals.ts"
import { SessionsRepository, SetupTokensRepository, UsersRepository } from "./repository.ts"
import { Rights } from "./rights.ts"
import { Identity } from "./service.ts"
import { SetupHttp } from "./setup-http.ts"
import { signInPolicyLayer } from "./sign-in-policy.ts"
import { SignInReports } from "./sign-in-reports.ts"
import { SignInRepository } from "./sign-in-repository.ts"

export const repositories = Layer.mergeAll(
  ActiveTeamRepository.layer,
  BreakGlassRepository.layer,
  ChallengesRepository.layer,
  SessionsRepository.layer,
  SetupTokensRepository.layer,
  SignInRepository.layer,
  UsersRepository.layer
)

/** Needs the second factors. */
export const services = Layer.mergeAll(
  BreakGlass.layer,
  credentialsLayer,
  FirstOwner.layer,
  Liveness.layer,
  Rights.layer
).pipe(
  Layer.provideMerge(Identity.layer),
  Layer.provideMerge(Layer.mergeAll(AgentKeys.layer, LoginLimits.layer, Passwords.layer))
)

export const policy = signInPolicyLayer

/** Needs the mailer. */
export const reports = SignInReports.layer

export const handlers = Layer.mergeAll(AuthHttp, SetupHttp)
