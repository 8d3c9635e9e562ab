/** A link to a section of the guide that the hub serves, or to its page on declaring services. */
import { useHub } from "../hub/use-hub.ts"
import { actText as t } from "../text/acts.ts"

export type GuideTopic = "approvals" | "budgets" | "bindings" | "rules" | "services" | "declaring" | "devices"

export const LearnMore = ({ topic }: { readonly topic: GuideTopic }) => {
  // The desktop app does not serve this page from the hub.
  const { origin } = new URL(useHub().downloadUrl("discovery.agentDocs", {}), location.href)
  const page = topic === "declaring" ? "/docs/declaring-services" : `/docs/guide#${topic}`
  return (
    <a
      className="flex-none type-meta text-2 whitespace-nowrap"
      href={`${origin}${page}`}
      target="_blank"
      rel="noopener"
      aria-label={t.learnMoreOf[topic]}
    >
      {t.learnMore}
    </a>
  )
}
