/** Webhook endpoints for pictures: one without a reachable receiver, so that its delivery shows a failed attempt. */
import type { Ask } from "./example-fleet.ts"

/** Returns the id of the endpoint whose page is worth a picture. */
export const makeExampleWebhook = async (ask: Ask): Promise<string> => {
  const create = async (body: object): Promise<string> => {
    const { id } = await ask("POST", "/webhook-endpoints", { body }) as { readonly id: string }
    return id
  }
  await create({ url: "https://finance.example/hooks/payments", types: ["payment.updated", "balance.changed"] })
  const id = await create({
    url: "https://ops.example/countersign",
    description: "Opens a ticket for each approval",
    types: ["approval.created", "approval.decided"]
  })
  await ask("POST", `/webhook-endpoints/${id}/test`)
  return id
}
