/** Publish requests of every outcome, and a listing in the marketplace, created over HTTP as a person does it. */
import type { Ask } from "./example-fleet.ts"

interface Wish {
  readonly agent: { readonly name: string; readonly description: string; readonly category: string }
  readonly publish: { readonly scope: "org"; readonly listed?: boolean; readonly note: string }
  readonly decision?: { readonly status: "approved" | "rejected" | "withdrawn"; readonly comment?: string }
}

const wishes: ReadonlyArray<Wish> = [
  {
    agent: { name: "Travel desk", description: "Books trips within the travel policy.", category: "travel" },
    publish: { scope: "org", listed: true, note: "Ready for every team." },
    decision: { status: "approved" }
  },
  {
    agent: { name: "Contract reader", description: "Lists the dates and duties of a contract.", category: "legal" },
    publish: { scope: "org", listed: true, note: "Tried on twenty contracts." },
    decision: { status: "approved", comment: "Reads only, so no budget is at risk." }
  },
  {
    agent: { name: "Cold caller", description: "Calls everybody on a list.", category: "sales" },
    publish: { scope: "org", note: "Sales asks for it." },
    decision: { status: "rejected", comment: "People must agree to calls first." }
  },
  {
    agent: {
      name: "Price watch",
      description: "Compares the prices of suppliers every morning.",
      category: "purchasing"
    },
    publish: { scope: "org", note: "Saves purchasing an hour a day." }
  }
]

/** The person must be allowed to review, and be the only one: then nobody else has to approve. */
export const makeExamplePublications = async (ask: Ask): Promise<void> => {
  for (const { agent, decision, publish } of wishes) {
    const { id } = await ask("POST", "/agents", { body: agent })
    const request = await ask("POST", `/agents/${id}/publish`, { body: publish })
    if (decision !== undefined) await ask("PATCH", `/publish-requests/${request.id}`, { body: decision })
  }
}
