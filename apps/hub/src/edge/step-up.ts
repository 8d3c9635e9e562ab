/**
 * Stepped-up sessions: the person signed in again within the last five minutes. Spec: reference/accounts.md "Step-up".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type Forbidden, forbidden } from "@countersign/domain/errors"
import { Effect } from "effect"

/** Always false for a personal access token: it cannot be stepped up. */
export const isSteppedUp = (user: UserPrincipal): boolean => user.via.kind === "session" && user.via.stepped_up

/** `act`: the subject of the message, such as "Approving this amount". */
export const stepUpMessage = (act: string): string =>
  `${act} needs a stepped-up session: call POST /api/v1/auth/step-up in a signed-in session first. A personal access token cannot do this.`

/** 403 `step_up_required` without a stepped-up session. */
export const needsStepUp = (user: UserPrincipal, act: string): Effect.Effect<void, Forbidden> =>
  isSteppedUp(user) ? Effect.void : Effect.fail(forbidden(stepUpMessage(act), undefined, "step_up_required"))
