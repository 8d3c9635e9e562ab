/** The OAuth endpoints at the hub's root, which are outside of the contract of `/api/v1`. */
import { HubError } from "@countersign/hub-client/error"

export interface AuthorizationClient {
  /** Of a client with a metadata document: the document's address. */
  readonly client_id: string
  readonly client_name: string
  readonly redirect_uri: string
}

/** An error of RFC 6749 as the screens show errors. */
const failed = async (answer: Response): Promise<HubError> => {
  const body: unknown = await answer.json().catch(() => ({}))
  const { error, error_description: message } = body as { readonly error?: string; readonly error_description?: string }
  return new HubError({ status: answer.status, code: error ?? "internal_error", message: message ?? "" })
}

const unreachable = () =>
  new HubError({ status: 0, code: "network_error", message: "The hub cannot be reached. Try again." })

/** The client of a request; 401 without a session. */
export const readClient = async (search: string, signal: AbortSignal): Promise<AuthorizationClient> => {
  const answer = await fetch(`/oauth/client?${search}`, { signal }).catch(() => undefined)
  if (answer === undefined) throw unreachable()
  if (!answer.ok) throw await failed(answer)
  return await answer.json() as AuthorizationClient
}

export interface Decision {
  readonly search: string
  readonly workspace: string
  readonly agent: string | undefined
  readonly decision: "approve" | "deny"
}

/** Returns the client's address to open. */
export const decide = async ({ agent, decision, search, workspace }: Decision): Promise<string> => {
  const answer = await fetch("/oauth/authorize", {
    method: "POST",
    headers: { "content-type": "application/json", "svc-workspace": workspace },
    body: JSON.stringify({
      ...Object.fromEntries(new URLSearchParams(search)),
      decision,
      ...agent === undefined ? {} : { agent_id: agent }
    })
  }).catch(() => undefined)
  if (answer === undefined) throw unreachable()
  if (!answer.ok) throw await failed(answer)
  const { redirect_to } = await answer.json() as { readonly redirect_to: string }
  return redirect_to
}
