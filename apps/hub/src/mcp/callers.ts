/**
 * Who calls `/mcp`: an agent by its key, or a person whose token names the agent. Every caller speaks for exactly one
 * agent. Spec: reference/mcp.md "Credentials".
 */
import type { AgentPrincipal, Mode, Principal, UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  forbidden,
  invalidField,
  notFound,
  noWorkspace,
  type Unauthorized,
  unauthorized
} from "@countersign/domain/errors"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { AgentsRepository } from "../agents/repository.ts"
import { mayActOnAgent, maySeeAgent } from "../auth/own.ts"
import type { Submission } from "../dispatch/pipeline/submission.ts"
import { bearerOf, Credentials } from "../edge/credentials.ts"
import { kindOf, malformedBearer, misplacedCredential, withArticle } from "../edge/misplaced-credential.ts"
import { factorRequired } from "../edge/second-factor.ts"
import { OAuth } from "../oauth/service.ts"
import { actorOf } from "../platform/audit-log.ts"

const wanted = "This endpoint requires an agent key (Authorization: Bearer agent_key_live_… or agent_key_test_…), " +
  "a personal access token with ?agent_id=, or an OAuth sign-in."

export const refuse = (problem: string): Unauthorized => unauthorized(`${problem} ${wanted}`, { wants: "agent" })

/** A code that names what ended stays: the person signs in again, and the same token works. */
const wants = (error: Unauthorized): Unauthorized =>
  error.error.code === "sso_expired" ? error : refuse(error.error.message)

export interface McpCaller {
  readonly org: OrgId
  readonly agent: AgentId
  readonly mode: Mode
  /** The fields of a submission that come from the credential. */
  readonly sender: Pick<Submission, "org" | "agent" | "mode" | "actor" | "keyId" | "keyVersion" | "origin">
  /** For rate limits and open calls. */
  readonly principal: Principal
}

export interface McpCredential {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly ip: string
  /** Query `agent_id`. */
  readonly agentId: string | undefined
}

export class McpCallers extends Context.Service<McpCallers, {
  /** 401 without a valid credential, 403 without the permission, 404 for an agent that the person may not use. */
  readonly of: (credential: McpCredential) => Effect.Effect<McpCaller, ApiError>
}>()("@countersign/hub/mcp/McpCallers") {
  static readonly layer = Layer.effect(
    McpCallers,
    Effect.gen(function*() {
      const credentials = yield* Credentials
      const agents = yield* AgentsRepository
      const oauth = yield* OAuth

      const ofAgent = Effect.fnUntraced(function*(agent: AgentPrincipal, { agentId, request }: McpCredential) {
        const workspace = request.headers["svc-workspace"]
        if (workspace !== undefined && workspace !== agent.org_id) return yield* Effect.fail(noWorkspace())
        if (agentId !== undefined && agentId !== agent.agent_id) {
          return yield* Effect.fail(invalidField("agent_id", "an agent key speaks for its own agent only"))
        }
        return {
          org: agent.org_id,
          agent: agent.agent_id,
          mode: agent.mode,
          sender: {
            org: agent.org_id,
            agent: agent.agent_id,
            mode: agent.mode,
            actor: actorOf(agent),
            keyId: agent.key_id,
            keyVersion: agent.agent_version
          },
          principal: agent
        } satisfies McpCaller
      })

      const ofPerson = Effect.fnUntraced(function*(user: UserPrincipal, agentId: string | undefined) {
        if (user.factor_missing === "everything") return yield* Effect.fail(factorRequired())
        if (agentId === undefined) {
          return yield* Effect.fail(
            invalidField("agent_id", "name the agent that the token speaks for: ?agent_id=agt_…")
          )
        }
        const agent = Option.getOrUndefined(yield* agents.find(user.org_id, agentId))
        if (agent === undefined || !maySeeAgent(user, agent)) return yield* Effect.fail(notFound("agent"))
        if (!mayActOnAgent(user, "requests:write", agent)) {
          return yield* Effect.fail(
            forbidden(
              "This needs the permission requests:write for this agent, which the token's scopes and your role do not give.",
              { permission: "requests:write" }
            )
          )
        }
        return {
          org: user.org_id,
          agent: agent.id,
          mode: "live",
          sender: {
            org: user.org_id,
            agent: agent.id,
            mode: "live",
            actor: actorOf(user),
            origin: { user_id: user.user_id }
          },
          principal: user
        } satisfies McpCaller
      })

      return McpCallers.of({
        of: Effect.fnUntraced(function*(credential) {
          const { agentId, ip, request } = credential
          const bearer = bearerOf(request.headers["authorization"])
          if (bearer === undefined || bearer === "") {
            return yield* Effect.fail(refuse(misplacedCredential(request) ?? "No credential was sent."))
          }
          const kind = kindOf(bearer)
          if (kind === "agent key") {
            const agent = yield* Effect.mapError(credentials.agentKey(bearer, ip), ({ error }) => refuse(error.message))
            return yield* ofAgent(agent, credential)
          }
          if (kind === "personal access token") {
            const user = yield* Effect.catchTag(
              credentials.personalToken(bearer, { ip, workspace: request.headers["svc-workspace"] }),
              "Unauthorized",
              (error) => Effect.fail(wants(error))
            )
            return yield* ofPerson(user, agentId)
          }
          if (kind === "OAuth access token") {
            const { agentId: chosen, user } = yield* Effect.mapError(oauth.caller(bearer, ip), wants)
            return agentId === undefined || agentId === chosen
              ? yield* Effect.catchTags(ofPerson(user, chosen), {
                NotFound: () => Effect.fail(refuse("The agent of this sign-in no longer exists.")),
                Forbidden: (error) =>
                  Effect.fail(
                    error.error.code === "second_factor_required"
                      ? error
                      : refuse("The person of this sign-in may no longer use the agent.")
                  )
              })
              : yield* Effect.fail(invalidField("agent_id", "the sign-in is for another agent"))
          }
          return yield* Effect.fail(
            refuse(
              kind === "credential"
                ? malformedBearer(bearer) ?? "The bearer credential is not valid for this hub."
                : `The bearer credential is ${withArticle(kind)}, which is not accepted here.`
            )
          )
        })
      })
    })
  )
}
