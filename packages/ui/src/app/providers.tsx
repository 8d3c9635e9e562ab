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
import { actText as t } from "../text/acts.ts"
import { type Console, ConsoleContext } from "./console-context.ts"

export interface ProvidersProps {
  readonly queries: QueryClient
  readonly console: Console
  readonly children: ReactNode
}

export const Providers = ({ children, console, queries }: ProvidersProps) => (
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queries}>
      <ConsoleContext value={console}>
        <TooltipProvider>
          {children}
          <ToastRegion label={t.notices} dismissText={t.dismiss} />
          <TimeTip />
        </TooltipProvider>
      </ConsoleContext>
    </QueryClientProvider>
  </CSPProvider>
)
