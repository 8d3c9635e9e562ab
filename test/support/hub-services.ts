/**
 * The services around agents over a real database; a plain statement replaces the money core in the cancellation of
 * approvals.
 */
import { BindingsRepository } from "@countersign/hub/agents/bindings-repository"
import { AgentsRepository } from "@countersign/hub/agents/repository"
import { Agents, PendingApprovals } from "@countersign/hub/agents/service"
import { AppProviders } from "@countersign/hub/apps/providers"
import { AppsRepository } from "@countersign/hub/apps/repository"
import { AppRevocationsRepository } from "@countersign/hub/apps/revocations-repository"
import { Bindings } from "@countersign/hub/bindings/service"
import { BudgetsRepository } from "@countersign/hub/budgets/repository"
import { Budgets } from "@countersign/hub/budgets/service"
import { McpRepository } from "@countersign/hub/catalog/mcp-repository"
import { CatalogRepository } from "@countersign/hub/catalog/repository"
import { Catalog } from "@countersign/hub/catalog/service"
import * as delegations from "@countersign/hub/delegations/layer"
import { DelegationsRepository } from "@countersign/hub/delegations/repository"
import { MembersRepository } from "@countersign/hub/members/repository"
import { AuditLog } from "@countersign/hub/platform/audit-log"
import { ConfirmedVersions } from "@countersign/hub/platform/confirmed-versions"
import { OrgHeads } from "@countersign/hub/platform/org-heads"
import { Signals } from "@countersign/hub/platform/signals"
import { PoliciesRepository } from "@countersign/hub/policies/repository"
import { Policies } from "@countersign/hub/policies/service"
import { Egress } from "@countersign/hub/providers/egress"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import * as schedules from "@countersign/hub/schedules/layer"
import { SecretsRepository } from "@countersign/hub/secrets/repository"
import * as triggers from "@countersign/hub/triggers/layer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "./pg.ts"

const PlainPendingApprovals = Layer.effect(
  PendingApprovals,
  Effect.map(SqlClient.SqlClient, (sql) =>
    PendingApprovals.of({
      cancelOfAgent: (org, agent) =>
        sql`update approvals set status = 'cancelled' where org_id = ${org} and agent_id = ${agent} and status = 'pending' returning id`
          .pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          )
    }))
)

const PlainAgentTasks = delegations.ending.pipe(
  Layer.provide(DelegationsRepository.layer),
  Layer.provide(AuditLog.layer)
)

const PlainAgentFirings = triggers.ofAgent.pipe(
  Layer.provide(schedules.pauses),
  Layer.provide(Layer.mergeAll(schedules.repositories, triggers.repositories, AuditLog.layer))
)

/** No service here uses a connected app. */
const NoApps = Layer.mock(AppProviders, {
  redirectUri: "",
  urlRules: { allow: [] },
  isShipped: () => false,
  view: () => {
    throw new Error("no provider is shown here")
  },
  serviceProblems: () => Effect.succeed([])
})

const Repositories = Layer.mergeAll(
  AgentsRepository.layer,
  AppRevocationsRepository.layer,
  AppsRepository.layer,
  BindingsRepository.layer,
  MembersRepository.layer,
  BudgetsRepository.layer,
  CatalogRepository.layer,
  McpRepository.layer,
  PoliciesRepository.layer,
  SecretsRepository.layer
)

/** Allows loopback, where tests serve documents. */
export const EgressTest = Egress.layer({ allow: parseAllowList("127.0.0.1").entries })

export const HubServices = Layer.mergeAll(Agents.layer, Bindings.layer, Budgets.layer, Policies.layer).pipe(
  Layer.provideMerge(Catalog.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      Repositories,
      NoApps,
      PlainPendingApprovals,
      PlainAgentTasks,
      PlainAgentFirings,
      OrgHeads.layer,
      AuditLog.layer,
      EgressTest
    )
  ),
  Layer.provideMerge(Layer.mergeAll(ConfirmedVersions.layer, Signals.layer)),
  Layer.provideMerge(PgTest)
)
