/** A link to a page of the documentation that the hub serves. */
import { useHub } from "../hub/use-hub.ts"
import { actText as t } from "../text/acts.ts"

const pages = {
  approvals: "approve-requests",
  budgets: "set-budgets",
  bindings: "concepts#bindings",
  rules: "write-policies",
  services: "concepts#services",
  declaring: "declaring-services",
  devices: "connect-devices"
} as const
export type GuideTopic = keyof typeof pages

export const LearnMore = ({ topic }: { readonly topic: GuideTopic }) => {
  // The desktop app does not serve this page from the hub.
  const { origin } = new URL(useHub().downloadUrl("discovery.agentDocs", {}), location.href)
  return (
    <a
      className="flex-none type-meta text-2 whitespace-nowrap"
      href={`${origin}/docs/${pages[topic]}`}
      target="_blank"
      rel="noopener"
      aria-label={t.learnMoreOf[topic]}
    >
      {t.learnMore}
    </a>
  )
}
