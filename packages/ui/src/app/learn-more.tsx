/** A link to a section of the guide that the hub serves. */
import { useHub } from "../hub/use-hub.ts"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./learn-more.module.css"

export type GuideTopic = "approvals" | "budgets" | "bindings" | "rules" | "services" | "devices"

export const LearnMore = ({ topic }: { readonly topic: GuideTopic }) => {
  const t = useText(actText)
  // In the desktop app this page is not the hub's.
  const { origin } = new URL(useHub().downloadUrl("discovery.agentDocs", {}), location.href)
  return <a className={styles.link} href={`${origin}/docs/guide#${topic}`} target="_blank" rel="noopener" aria-label={t.learnMoreOf[topic]}>{t.learnMore}</a>
}
