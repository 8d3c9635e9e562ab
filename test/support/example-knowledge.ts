/** A collection with documents of a company, one of which failed, for screenshots. */
import type { Ask } from "./example-fleet.ts"

const documents: ReadonlyArray<readonly [title: string, text: string]> = [
  [
    "Refunds",
    "# Refunds\n\n## Returns\n\nA customer who returns a product within thirty days gets the whole price back. " +
    "After that the shop decides.\n\n## Damage\n\nDamaged products are replaced within a week.\n"
  ],
  [
    "Travel",
    "# Travel\n\nThe company pays for second class trains and for hotels of up to 150 euros a night. Flights need the " +
    "approval of a lead.\n"
  ],
  ["Opening hours", "# Opening hours\n\nThe shop is open from nine to five, and closed on Sundays.\n"]
]

/** Resolves when the documents are ready; returns the id of the collection. */
export const makeExampleKnowledge = async (ask: Ask): Promise<string> => {
  const { id } = await ask("POST", "/knowledge/collections", {
    body: { name: "Handbook", description: "The rules of the company." }
  })
  await ask("POST", "/knowledge/collections", { body: { name: "Contracts with suppliers" } })
  const path = `/knowledge/collections/${id}/documents`
  for (const [title, text] of documents) {
    await ask("POST", path, { body: { title, text, content_type: "text/markdown" } })
  }
  await ask("POST", path, { body: { title: "Scanned letter", text: "<p></p>", content_type: "text/html" } })
  for (;;) {
    const { data } = await ask("GET", path)
    const statuses = data.map(({ status }: { readonly status: string }) => status)
    if (!statuses.includes("queued") && !statuses.includes("processing")) return id
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
