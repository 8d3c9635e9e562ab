import "../tokens/index.css"
import { CSPProvider } from "@base-ui/react/csp-provider"
import { createRoot } from "react-dom/client"
import { TooltipProvider } from "../components/tooltip.tsx"
import { Gallery } from "./gallery.tsx"

createRoot(document.getElementById("root")!).render(
  <CSPProvider disableStyleElements>
    <TooltipProvider>
      <Gallery />
    </TooltipProvider>
  </CSPProvider>
)
