import { Button } from "@countersign/ui/components/button.tsx"
import { Link } from "@countersign/ui/components/link.tsx"
import { EmptyState } from "@countersign/ui/patterns/empty-state.tsx"
import { ErrorView } from "@countersign/ui/patterns/error-view.tsx"
import { OfflineBar } from "@countersign/ui/patterns/offline-bar.tsx"
import { StandingLine } from "@countersign/ui/patterns/standing-line.tsx"
import { StatusBadge } from "@countersign/ui/patterns/status-badge.tsx"
import styles from "./gallery.module.css"
import { copyTexts } from "./samples.ts"
import { Section } from "./section.tsx"

const statuses = [
  ["approval_required", "pending"],
  ["executed", "executed"],
  ["blocked", "blocked"],
  ["failed", "failed"],
  ["running", "running"],
  ["expired", "expired"]
] as const

export const StatesSection = () => (
  <Section id="states" title="States">
    <div className={styles.line}>
      {statuses.map(([status, word]) => <StatusBadge key={status} status={status}>{word}</StatusBadge>)}
    </div>
    <div>
      <OfflineBar label="Connection" spoken="Not connected since 14:02:11" retryText="Retry" onRetry={() => undefined}>
        Not connected since 14:02:11, trying in 6 s
      </OfflineBar>
      <StandingLine action={<Link href="#states">See what passes</Link>}>
        2 standing approvals let Scout spend up to $50.00 without a person
      </StandingLine>
      <StandingLine stop action={<Link href="#states">Lift it</Link>}>
        Frozen by Ada at 13:40: nothing is executed
      </StandingLine>
    </div>
    <div className={styles.columns}>
      <EmptyState action={<Button>New agent</Button>} detail="$12.40 in 31 requests today.">
        No pending approvals.
      </EmptyState>
      <div className={styles.stack}>
        <ErrorView
          failed="The approval could not be sent."
          unchanged="Nothing was decided and no money moved."
          reason="The hub did not answer within 30 s."
          requestId="01JD8X4K2M9Q7R5T3V1W"
          texts={{ requestId: "Request", copy: copyTexts }}
          actions={<Button variant="primary">Try again</Button>}
        />
        <ErrorView
          inline
          failed="Decided by Grace 4 s ago: rejected."
          unchanged="Your approval changed nothing."
          texts={{ requestId: "Request", copy: copyTexts }}
        />
      </div>
    </div>
  </Section>
)
