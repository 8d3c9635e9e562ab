import "@countersign/ui/tokens/index.css"
import { CSPProvider } from "@base-ui/react/csp-provider"
import { TooltipProvider } from "@countersign/ui/components/tooltip.tsx"
import { createRoot } from "react-dom/client"
import { Gallery } from "./gallery.tsx"

createRoot(document.getElementById("root")!).render(
  <CSPProvider disableStyleElements>
    <TooltipProvider>
      <Gallery />
    </TooltipProvider>
  </CSPProvider>
)
