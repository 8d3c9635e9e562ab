/**
 * Context for all components: texts, tooltips, and the query cache. Nothing here writes a style element, which the
 * content security policy forbids.
 */
import { CSPProvider } from "@base-ui/react/csp-provider"
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ToastRegion } from "../components/toast.tsx"
import { TooltipProvider } from "../components/tooltip.tsx"
import { TimeTip } from "../patterns/time-tip.tsx"
import { actText } from "../text/acts.ts"
import { type Locale, LocaleContext, useText } from "../text/catalogue.ts"
import { type Console, ConsoleContext } from "./console-context.ts"

export interface ProvidersProps {
  readonly queries: QueryClient
  readonly locale: Locale
  readonly console: Console
  readonly children: ReactNode
}

export const Providers = ({ children, console, locale, queries }: ProvidersProps) => (
  <CSPProvider disableStyleElements>
    <LocaleContext value={locale}>
      <QueryClientProvider client={queries}>
        <ConsoleContext value={console}>
          <TooltipProvider>
            {children}
            <Toasts />
            <TimeTip />
          </TooltipProvider>
        </ConsoleContext>
      </QueryClientProvider>
    </LocaleContext>
  </CSPProvider>
)

const Toasts = () => {
  const t = useText(actText)
  return <ToastRegion label={t.notices} dismissText={t.dismiss} />
}
