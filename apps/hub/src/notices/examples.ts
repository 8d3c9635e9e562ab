/** Examples of notices for the preview of mails. Their links open the lists of the workspace. Pure. */
import type { OrgId } from "@countersign/domain/ids"
import type { NoticeEvent } from "@countersign/domain/notice-events"
import type { Subject } from "./subjects.ts"
import { wordsOfAgentRequest, wordsOfAlert, wordsOfApp, wordsOfEndpoint, wordsOfRun } from "./words.ts"

type Example = Pick<Subject, "expiresAt" | "words">

const hourMillis = 3_600_000

/** `org` takes the place of ids that do not exist. */
export const examplesOf = (event: NoticeEvent, org: OrgId, now: Date): ReadonlyArray<Example> => {
  const inHours = (hours: number) => new Date(now.getTime() + hours * hourMillis)
  switch (event) {
    case "approval.created":
      return [
        {
          words: {
            title: "Scout → voice.call",
            details: ["$42.00"],
            action: "Review",
            screen: "settings",
            id: org
          },
          expiresAt: inHours(24)
        },
        {
          words: {
            title: "Ledger bot → email.send",
            details: ["$0.10"],
            action: "Review",
            screen: "settings",
            id: org
          },
          expiresAt: inHours(2)
        }
      ]
    case "agent_request.created":
      return [{ words: settled(wordsOfAgentRequest(org, "question", "Scout"), org) }]
    case "budget.alert":
      return [{
        words: settled(
          wordsOfAlert(org, "Scout", { limit: "agent_month", level: 80, used_cents: 40_000, cap_cents: 50_000 }),
          org
        )
      }]
    case "run.failed":
      return [{ words: settled(wordsOfRun(org, "Weekly report", "live", { code: "adapter_error" }), org) }]
    case "app.needs_reauth":
      return [{ words: settled(wordsOfApp(org, "Sales mailbox", "google"), org) }]
    case "webhook_endpoint.disabled":
      return [{ words: settled(wordsOfEndpoint(org, { url: "https://example.com/hooks" }), org) }]
  }
}

const settled = (words: Example["words"], org: OrgId): Example["words"] => ({ ...words, screen: "settings", id: org })
