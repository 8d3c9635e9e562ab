/** Words about apps that several parts of the screen show. Pure. */
import type { Tone } from "../components/badge.tsx"
import type { AppRow, ServiceRow } from "../hub/queries.ts"
import type { StatusLook } from "../patterns/status.ts"

export const lookOf: Readonly<Record<AppRow["status"], { readonly tone: Tone; readonly look: StatusLook }>> = {
  pending: { tone: "neutral", look: "waiting" },
  connected: { tone: "ok", look: "executed" },
  needs_reauth: { tone: "hold", look: "failed" },
  revoked: { tone: "neutral", look: "expired" }
}

/** The services whose credential names the app, or its provider. */
export const usesOf = (
  services: ReadonlyArray<ServiceRow>,
  { id, provider }: Pick<AppRow, "id" | "provider">
): ReadonlyArray<string> =>
  services.filter(({ auth }) => auth?.type === "oauth_app" && (auth.app === id || auth.app === provider)).map((
    { name }
  ) => name)
