/** Revokes the standing approvals of a person who leaves the workspace. */
import { Effect, Layer } from "effect"
import { StandingApprovalsOfMember } from "../members/departure.ts"
import { StandingApprovalsRepository } from "./repository.ts"

export const standingApprovalsOfMemberLayer = Layer.effect(
  StandingApprovalsOfMember,
  Effect.map(StandingApprovalsRepository, ({ withdraw }) => StandingApprovalsOfMember.of({ withdraw }))
)
