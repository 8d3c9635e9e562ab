/** The ways to Stripe's page of an open payment: a link that opens the browser, and the address to copy. */
import { ButtonLink } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { moneyText } from "../text/money.ts"

export const ContinuePayment = ({ primary = false, url }: { readonly url: string; readonly primary?: boolean }) => (
  <span className="inline-flex flex-wrap items-center gap-8">
    <ButtonLink
      href={url}
      target="_blank"
      rel="noreferrer"
      size="small"
      variant={primary ? "primary" : undefined}
    >
      {moneyText.payments.continue}
    </ButtonLink>
    <CopyButton value={url} texts={moneyText.payments.copy} />
  </span>
)
